//! Blocks of memory that come and go in one look: what long logs consist of.
//!
//! Each does what [`Heap::hold`] and [`Heap::release`] do, and leaves to them what is not as it mostly is. What nobody may ask for is not made:
//! who wants to know as what a block is held asks for it.

use aclsan_log::{BlockId, SiteId};

use super::freed_queue::Entry;
use super::hint::Hint;
use super::live_block::Held;
use super::model::Heap;
use crate::api::block::{Block, End};

impl Heap {
    /// A block of memory, no handle, was allocated where nothing lies, or where another began that has ended, and in no more than its room.
    /// `hint` is what [`Heap::look_ahead`] said of it. Tells where it is now; `None` where nothing was done.
    #[inline(always)]
    pub fn hold_plainly(
        &mut self,
        hint: Hint,
        block: Block,
        since_ns: u64,
        thread: u32,
    ) -> Option<Hint> {
        let Hint(at) = match self.scattered {
            1.. => hint,
            0 => self.blocks.ended_at(block.address),
        };
        let at = match self.blocks.slot(at) {
            Some(slot) if slot.has_ended_at(block.address) && slot.has_room(block.size) => {
                self.ended.gone(Entry::of(at, slot.order()));
                let held = self.next(block, since_ns, thread);
                self.blocks.replace_ended(at, held);
                at
            }
            _ => self.hold_elsewhere(hint, self.next(block, since_ns, thread))?,
        };
        self.allocations += 1;
        Some(Hint(at))
    }

    /// The same where the hint is of no use, or none ended not long ago.
    #[inline(never)]
    fn hold_elsewhere(&mut self, hint: Hint, held: Held) -> Option<u32> {
        self.elsewhere += 1;
        if let Some(gap) = self.gap_at(hint, held.block.address) {
            return self.fill_gap(held, &gap);
        }
        let Some(at) = self.blocks.begins(held.block.address) else {
            return self.fill(held);
        };
        let slot = self.blocks.get(at);
        if slot.is_live() || !slot.has_room(held.block.size) {
            return None;
        }
        self.ended.gone(Entry::of(at, slot.order()));
        self.blocks.replace_ended(at, held);
        Some(at)
    }

    /// A release at `site` ended the block, if it is live and `is_plain` says so of it. `hint` is what [`Heap::look_ahead`] said of it. Tells
    /// where the block began, and where it is; `None` where nothing was done.
    #[inline(always)]
    pub fn release_plainly(
        &mut self,
        hint: Hint,
        id: BlockId,
        site: SiteId,
        is_plain: impl Fn(&Block) -> bool,
    ) -> Option<(u64, Hint)> {
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
        self.ended.push(Entry::of(at, slot.order()));
        if self.ended.is_full() {
            self.forget_oldest();
        }
        Some((address, Hint(at)))
    }

    /// As what the block is held that has come or gone there, as long as nothing else has happened.
    #[inline]
    pub fn held_at(&self, hint: Hint) -> Held {
        self.blocks.get(hint.0).held()
    }
}
