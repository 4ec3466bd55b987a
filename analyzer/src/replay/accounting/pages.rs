//! What blocks take of a device, page by page.

use aclsan_render::model::{Extent, Page};
use aclsan_rules::Block;

/// Bytes of pages that a rounded request gets, as far as they are its own.
pub fn needed(page: Page, rounded: u64) -> u64 {
    match page {
        Page::Normal => rounded,
        page => page.up(rounded).unwrap_or(u64::MAX),
    }
}

/// The same of a block; where no pages are known of it, its own bytes and those of its guard.
#[inline(always)]
pub fn taken(block: &Block, extent: Option<&Extent>, guard: u64) -> u64 {
    match extent {
        Some(extent) => needed(extent.page, extent.rounded),
        None => block.size.saturating_add(guard),
    }
}
