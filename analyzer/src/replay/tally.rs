//! What a report on leaks alone needs to know of blocks that come and go, in place of all books.

use aclsan_log::SiteId;
use aclsan_rules::heap::Held;

use super::sites::{Sites, Terms};

/// The counts.
pub struct Tally {
    /// Blocks that each place allocated.
    allocated: Vec<u64>,
    /// Bytes of devices.
    live: u64,
}

impl Tally {
    /// Nothing yet, of a log with so many sites.
    pub fn new(sites: usize) -> Self {
        Self {
            allocated: vec![0; sites],
            live: 0,
        }
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn arrive(&mut self, held: &Held, sites: &Sites) {
        let terms = sites.terms(held.block.site);
        if terms.line.is_some() {
            self.allocated[terms.place.0 as usize] += 1;
        }
        self.rise(held, terms);
    }

    /// A block whose release was refused is back.
    #[inline(always)]
    pub fn come_back(&mut self, held: &Held, sites: &Sites) {
        self.rise(held, sites.terms(held.block.site));
    }

    #[inline(always)]
    fn rise(&mut self, held: &Held, terms: &Terms) {
        if terms.paging.is_some() {
            self.live = self.live.saturating_add(held.block.size);
        }
    }

    /// A block ended.
    #[inline(always)]
    pub fn depart(&mut self, held: &Held, sites: &Sites) {
        if sites.terms(held.block.site).paging.is_some() {
            self.live = self.live.saturating_sub(held.block.size);
        }
    }

    /// Bytes of devices that are live.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// How many blocks a place allocated.
    pub fn allocated(&self, place: SiteId) -> u64 {
        self.allocated.get(place.0 as usize).copied().unwrap_or(0)
    }
}
