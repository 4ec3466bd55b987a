//! An mstx memory region.

use aclsan_log::CallSiteId;

/// The arguments of `mstxMemRegionsRegister` for one region.
pub struct Region {
    /// Number and text of the domain.
    pub domain: (u64, String),
    pub heap: u64,
    pub address: u64,
    pub size: u64,
    pub device: i32,
    pub handle: u64,
    pub site: CallSiteId,
}
