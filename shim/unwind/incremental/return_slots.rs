//! How the frames of the last stack were left: the slot of each return address, and what it held.
//!
//! Apart from the rest of the frames, since these alone are read at every capture, and in two lists, since eight are compared at once.

use crate::step::Slot;
use crate::word_list::{GROUPS, WordList};

/// By number of the frame. One that was never filled in points to itself: it never changes, like that of the outermost frame.
pub struct ReturnSlots {
    slots: Box<WordList>,
    returned: Box<WordList>,
}

impl ReturnSlots {
    /// Slots that never change.
    pub fn new() -> Self {
        let (mut slots, returned) = (WordList::new(), WordList::new());
        for (at, address) in returned.addresses().enumerate() {
            slots.set(at, address);
        }
        Self { slots, returned }
    }

    /// Of frame number `at`.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Slot {
        Slot {
            address: self.slots.get(at),
            word: self.returned.get(at),
        }
    }

    /// Sets that of frame number `at`.
    #[inline(always)]
    pub fn set(&mut self, at: usize, slot: Slot) {
        self.slots.set(at, slot.address);
        self.set_returned(at, slot.word);
    }

    /// The slots of the `count` frames from number `first` on, and what they held.
    #[inline(always)]
    pub fn between(&mut self, first: usize, count: usize) -> (&mut [u64], &mut [u64]) {
        (
            &mut self.slots.words()[first..][..count],
            &mut self.returned.words()[first..][..count],
        )
    }

    /// The slot of frame number `at` holds another address.
    #[inline(always)]
    pub fn set_returned(&mut self, at: usize, returned: u64) {
        self.returned.set(at, returned);
    }

    /// A bit for each of the frames from number `first`, a multiple of 64, up to `end`, at most 64 further on, whose slot holds another address now.
    #[inline(always)]
    pub fn changed(&self, first: usize, end: usize) -> u64 {
        // In whole groups: the slots behind are on this stack, too, or point to themselves.
        let groups = first / 8..end.div_ceil(8).min(GROUPS);
        let unchanged = groups.rev().fold(0, |all, group| {
            all << 8 | self.returned.are_at(&self.slots, group)
        });
        !unchanged & u64::MAX >> (63 - (end - 1) % 64)
    }

    /// How many of the `depth` outer frames have their slot at or above `sp`; below, nothing is compared.
    #[inline(always)]
    pub fn depth_above(&self, sp: u64, depth: usize) -> usize {
        let is_below = |&at: &usize| at > 0 && self.slots.get(at) < sp;
        let below = (0..depth).rev().take_while(is_below).count();
        depth - below
    }
}
