//! What the next events will ask for, looked up for all of them beforehand.
//!
//! A heap of many blocks lies in memory that the processor has to wait for, and what judges one event must know what the event before left.
//! Lookups alone need not wait for one another: made together, they share the waiting, and judging finds everything at hand.

use std::hint::black_box;

use aclsan_log::BlockId;

use super::Heap;

/// Events that are worth looking up together: what they need stays in the first cache until they are judged.
pub const AHEAD: usize = 32;

impl Heap {
    /// Has memory fetch what the releases of [`AHEAD`] blocks at most will ask for. Changes nothing. Where blocks are allocated is mostly where
    /// one has just been released.
    #[inline]
    pub fn look_ahead(&self, next: impl Iterator<Item = BlockId>) {
        black_box(next.filter(|&id| self.blocks.find(id).is_some()).count());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::tests::device_block;

    #[test]
    fn numbers_that_nobody_knows_are_no_trouble() {
        let mut heap = Heap::default();
        heap.allocate(device_block(1, 0x1000, 16), 0, 1);
        let next = [BlockId(1), BlockId(u64::MAX)];
        heap.look_ahead(next.into_iter().cycle().take(2 * AHEAD));
        assert!(heap.get(BlockId(1)).is_some());
    }
}
