//! The fast path for blocks of memory, which long logs consist of.
//!
//! Each function does what [`Heap::insert`] or [`Heap::release`] does, in one lookup, and leaves uncommon cases to
//! them. Nothing is built that the caller may not need: [`Heap::block_at`] returns the live block on request.

use aclsan_log::{BlockId, CallSiteId};

use super::freed_queue::Entry;
use super::hint::PrefetchHint;
use super::live_block::LiveBlock;
use super::model::Heap;
use crate::api::block::{Block, End};

impl Heap {
    /// A block of memory, not a handle, was allocated where there is no block, or where a freed one began, and it fits
    /// that block's room. `hint` comes from [`Heap::look_ahead`]. Returns the block's slot, or `None` if nothing was
    /// done.
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

    /// [`Heap::insert_fast`] if the hint is useless and no block was freed there recently.
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

    /// A release at `site` ended the block. Only if it is live and `is_plain` accepts it. `hint` comes from
    /// [`Heap::look_ahead`]. Returns the block's address and slot, or `None` if nothing was done.
    #[inline(always)]
    pub fn release_fast(
        &mut self,
        hint: PrefetchHint,
        id: BlockId,
        site: CallSiteId,
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

    /// The block that [`Heap::insert_fast`] has just inserted, without reading what was just written.
    #[inline(always)]
    pub fn inserted(&self, block: Block, since_ns: u64, thread: u32) -> LiveBlock {
        LiveBlock {
            order: self.allocations - 1,
            ..self.next(block, since_ns, thread)
        }
    }

    /// The block that was just inserted or freed at this slot. Valid until the heap changes.
    #[inline]
    pub fn block_at(&self, hint: PrefetchHint) -> LiveBlock {
        self.blocks.get(hint.0).live()
    }
}
