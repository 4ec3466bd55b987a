//! How the frames of the last stack were left: the slot of each return address, and what it held.
//!
//! Apart from the rest of the frames, since these alone are read at every capture, and in two lists, since eight are compared at once.

use super::on_heap;
use crate::MAX_DEPTH;
use crate::step::{ReturnSlot, differing};

/// By number of the frame. One that was never filled in points to itself: it never changes, like that of the outermost frame.
pub struct ReturnSlots {
    slots: Box<[u64; MAX_DEPTH]>,
    returned: Box<[u64; MAX_DEPTH]>,
}

impl ReturnSlots {
    /// Slots that never change.
    pub fn new() -> Self {
        let mut slots: Box<[u64; MAX_DEPTH]> = on_heap();
        let returned: Box<[u64; MAX_DEPTH]> = on_heap();
        for (slot, returned) in slots.iter_mut().zip(returned.iter()) {
            *slot = (&raw const *returned).addr() as u64;
        }
        Self { slots, returned }
    }

    /// Of frame number `at`.
    #[inline(always)]
    pub fn get(&self, at: usize) -> ReturnSlot {
        ReturnSlot {
            slot: self.slots[at % MAX_DEPTH],
            returned: self.returned[at % MAX_DEPTH],
        }
    }

    /// Sets that of frame number `at`.
    #[inline(always)]
    pub fn set(&mut self, at: usize, slot: ReturnSlot) {
        self.slots[at % MAX_DEPTH] = slot.slot;
        self.returned[at % MAX_DEPTH] = slot.returned;
    }

    /// A bit for each of the frames from number `first`, a multiple of 64, up to `end`, at most 64 further on, whose slot holds another address now.
    // In whole eights: the slots behind are on this stack, too, or point to themselves.
    #[inline(always)]
    pub fn changed(&self, first: usize, end: usize) -> u64 {
        let range = first..end.next_multiple_of(8).min(MAX_DEPTH);
        let (slots, _) = self.slots[range.clone()].as_chunks::<8>();
        let (returned, _) = self.returned[range].as_chunks::<8>();
        let eights = slots.iter().zip(returned).rev();
        let changed = eights.fold(0, |all, (slots, returned)| {
            all << 8 | differing(slots, returned)
        });
        changed & u64::MAX >> (63 - (end - 1) % 64)
    }

    /// How many of the `depth` outer frames have their slot at or above `sp`; below, nothing is compared.
    #[inline(always)]
    pub fn depth_above(&self, sp: u64, depth: usize) -> usize {
        let inwards = self.slots[1..depth].iter();
        let below = inwards.rev().take_while(|slot| **slot < sp).count();
        depth - below
    }
}
