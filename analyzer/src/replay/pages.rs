//! Bytes of device pages that blocks take.

use aclsan_render::model::{Extent, Page};

/// Page bytes of a rounded request: whole pages, except that normal pages are shared.
pub fn needed(page: Page, rounded: u64) -> u64 {
    match page {
        Page::Normal => rounded,
        page => page.up(rounded).unwrap_or(u64::MAX),
    }
}

/// As [`needed`], for a block that counts as `bytes`. If its pages are unknown, these bytes and those of its guard.
#[inline(always)]
pub fn taken(bytes: u64, extent: Option<&Extent>, guard: u64) -> u64 {
    match extent {
        Some(extent) => needed(extent.page, extent.rounded),
        None => bytes.saturating_add(guard),
    }
}
