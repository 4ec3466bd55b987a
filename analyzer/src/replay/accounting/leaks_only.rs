//! The counters that a leaks-only report needs, in place of full accounting.

use aclsan_log::CallSiteId;
use aclsan_rules::trackers::heap::{Heap, LiveBlock};

use crate::replay::sites::Sites;

/// The counts.
pub struct LeakCounters {
    /// Blocks that each site allocated.
    allocated: Vec<u64>,
    /// Live device bytes, counted from the first query on: most logs never ask.
    live: Option<u64>,
}

impl LeakCounters {
    /// All counters at zero, for a log with `sites` sites.
    pub fn new(sites: usize) -> Self {
        Self {
            allocated: vec![0; sites],
            live: None,
        }
    }

    /// Whether live bytes are being counted.
    #[inline(always)]
    pub fn sums(&self) -> bool {
        self.live.is_some()
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn on_alloc(&mut self, held: &LiveBlock, sites: &Sites) {
        if let Some(allocated) = self.allocated.get_mut(held.block.site.0 as usize) {
            *allocated += held.blocks();
        }
        self.undo_free(held, sites);
    }

    /// Restores a block whose release was refused.
    #[inline(always)]
    pub fn undo_free(&mut self, held: &LiveBlock, sites: &Sites) {
        if let Some(live) = self.live {
            self.live = Some(live.saturating_add(taken(held, sites)));
        }
    }

    /// A block was freed.
    #[inline(always)]
    pub fn on_free(&mut self, held: &LiveBlock, sites: &Sites) {
        if let Some(live) = self.live {
            self.live = Some(live.saturating_sub(taken(held, sites)));
        }
    }

    /// Live device bytes. `heap` holds exactly the blocks that were allocated and not freed.
    pub fn live(&mut self, heap: &Heap, sites: &Sites) -> u64 {
        *self.live.get_or_insert_with(|| {
            let taken = heap.live().map(|held| taken(&held, sites));
            taken.fold(0, u64::saturating_add)
        })
    }

    /// Blocks of memory that each allocation site allocated. `uncounted` are those of each site that were not reported here.
    pub fn allocated(&self, uncounted: impl Iterator<Item = u64>, sites: &Sites) -> Vec<u64> {
        let mut by_place = vec![0; self.allocated.len()];
        let allocated = self.allocated.iter().zip(uncounted);
        for (site, (allocated, uncounted)) in (0..).map(CallSiteId).zip(allocated) {
            let traits = sites.traits(site);
            if traits.line.is_some() {
                by_place[traits.place.0 as usize] += allocated + uncounted;
            }
        }
        by_place
    }
}

/// Device bytes of a block.
fn taken(held: &LiveBlock, sites: &Sites) -> u64 {
    let is_of_device = sites.traits(held.block.site).is_of_device;
    if is_of_device { held.bytes } else { 0 }
}
