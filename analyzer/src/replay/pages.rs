//! Bytes of device pages that blocks take.

use aclsan_log::CallSiteId;
use aclsan_render::model::{Extent, Page};

use super::sites::Sites;

/// Page bytes of a rounded request: whole pages, except that normal pages are shared.
pub fn needed(page: Page, rounded: u64) -> u64 {
    match page {
        Page::Normal => rounded,
        page => page.up(rounded).unwrap_or(u64::MAX),
    }
}

/// Bytes of device pages that a block from `site` takes without redzones; its own bytes if its pages are unknown.
pub fn page_bytes(sites: &Sites, site: CallSiteId, (address, size): (u64, u64)) -> u64 {
    let paging = sites.traits(site).paging;
    let extent = paging.map(|paging| paging.extent_at(address, size, 0, site.0));
    taken(size, extent.as_ref(), 0)
}

/// As [`needed`], for a block that counts as `bytes`. If its pages are unknown, these bytes and those of its guard.
#[inline(always)]
pub fn taken(bytes: u64, extent: Option<&Extent>, guard: u64) -> u64 {
    match extent {
        Some(extent) => needed(extent.page, extent.rounded),
        None => bytes.saturating_add(guard),
    }
}
