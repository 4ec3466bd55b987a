//! What the next events will ask for, looked up for all of them beforehand.
//!
//! A heap of many blocks lies in memory that the processor has to wait for, and what judges one event must know what the event before left.
//! Lookups alone need not wait for one another: made together, they share the waiting, and judging finds everything at hand.

use std::hint::black_box;

use aclsan_log::BlockId;

use super::Heap;

/// Events that are worth looking up together: what they need stays in the first cache until they are judged.
pub const AHEAD: usize = 32;

/// What an event to come names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// A block of this number is released.
    Release(BlockId),
    /// A block is allocated at this address.
    Allocation(u64),
}

impl Heap {
    /// Has memory fetch what [`AHEAD`] events at most will ask for. Changes nothing.
    pub fn look_ahead(&self, next: impl Iterator<Item = Next>) {
        let mut found = 0;
        for next in next {
            let at = match next {
                Next::Release(id) => self.blocks.find(id),
                Next::Allocation(address) => self.blocks.begins(address),
            };
            found += u32::from(at.is_some());
        }
        black_box(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::tests::device_block;

    #[test]
    fn numbers_and_addresses_that_nobody_knows_are_no_trouble() {
        let mut heap = Heap::default();
        heap.allocate(device_block(1, 0x1000, 16), 0, 1);
        let next = [
            Next::Release(BlockId(1)),
            Next::Release(BlockId(u64::MAX)),
            Next::Allocation(0x1000),
            Next::Allocation(u64::MAX),
        ];
        heap.look_ahead(next.into_iter().cycle().take(2 * AHEAD));
        assert!(heap.get(BlockId(1)).is_some());
    }
}
