//! Blocks of memory that come and go in one look: what long logs consist of.
//!
//! Each does what [`Heap::hold`] and [`Heap::release`] do, and leaves to them what is not as it mostly is. What nobody may ask for is not made:
//! who wants to know as what a block is held asks for it.

use aclsan_log::{BlockId, SiteId};

use super::freed_queue::Entry;
use super::hint::PrefetchHint;
use super::live_block::LiveBlock;
use super::model::Heap;
use crate::api::block::{Block, End};

impl Heap {
    /// A block of memory, no handle, was allocated where nothing lies, or where another began that has ended, and in no more than its room.
    /// `hint` is what [`Heap::look_ahead`] said of it. Tells where it is now; `None` where nothing was done.
    #[inline(always)]
    pub fn insert_fast(
        &mut self,
        hint: PrefetchHint,
        block: Block,
        since_ns: u64,
        thread: u32,
    ) -> Option<PrefetchHint> {
        let PrefetchHint(at) = match self.index_lookups {
            1.. => hint,
            0 => self.blocks.ended_at(block.address),
        };
        let at = match self.blocks.slot(at) {
            Some(slot) if slot.has_ended_at(block.address) && slot.has_room(block.size) => {
                self.freed.remove(Entry::of(at, slot.order()));
                let live = self.next(block, since_ns, thread);
                self.blocks.replace_ended(at, live);
                at
            }
            _ => self.insert_missed(hint, self.next(block, since_ns, thread))?,
        };
        self.allocations += 1;
        Some(PrefetchHint(at))
    }

    /// The same where the hint is of no use, or none ended not long ago.
    #[inline(never)]
    fn insert_missed(&mut self, hint: PrefetchHint, live: LiveBlock) -> Option<u32> {
        self.misses += 1;
        if let Some(insert_point) = self.insert_point_at(hint, live.block.address) {
            return self.insert_at(live, &insert_point);
        }
        let Some(at) = self.blocks.begins(live.block.address) else {
            return self.insert_new(live);
        };
        let slot = self.blocks.get(at);
        if slot.is_live() || !slot.has_room(live.block.size) {
            return None;
        }
        self.freed.remove(Entry::of(at, slot.order()));
        self.blocks.replace_ended(at, live);
        Some(at)
    }

    /// A release at `site` ended the block, if it is live and `is_plain` says so of it. `hint` is what [`Heap::look_ahead`] said of it. Tells
    /// where the block began, and where it is; `None` where nothing was done.
    #[inline(always)]
    pub fn release_fast(
        &mut self,
        hint: PrefetchHint,
        id: BlockId,
        site: SiteId,
        is_plain: impl Fn(&Block) -> bool,
    ) -> Option<(u64, PrefetchHint)> {
        let how = End::Released(site);
        let mut at = hint.0;
        let slot = match self.blocks.end_if(at, id, how, &is_plain) {
            Some(slot) => slot,
            None => {
                at = self.blocks.find(id)?;
                self.blocks.end_if(at, id, how, &is_plain)?
            }
        };
        let address = slot.address();
        self.freed.push(Entry::of(at, slot.order()));
        if self.freed.is_full() {
            self.evict_oldest();
        }
        Some((address, PrefetchHint(at)))
    }

    /// As what the block is held that has come or gone there, as long as nothing else has happened.
    #[inline]
    pub fn block_at(&self, hint: PrefetchHint) -> LiveBlock {
        self.blocks.get(hint.0).live()
    }
}
