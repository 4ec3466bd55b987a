//! Live blocks by where they begin, which is how calls mostly name them.

use std::iter::successors;

use super::Heap;
use crate::block::Block;
use crate::family::Family;

impl Heap {
    /// The live block that begins at `address`, which a call names. That is noted of a device's, if `is_noted` says so where none had named it
    /// before; then also that.
    #[inline(always)]
    pub fn met(&mut self, address: u64, is_noted: impl FnOnce() -> bool) -> Option<(Block, bool)> {
        let at = self.blocks.begins(address)?;
        let slot = self.blocks.get_mut(at);
        let block = slot.block();
        if !slot.is_live() {
            return None;
        }
        let is_new = !slot.is_named() && block.family() == Family::Device && is_noted();
        if is_new {
            slot.name();
        }
        Some((block, is_new))
    }

    /// The nearest live blocks before and behind `block`, no further away than `near` bytes.
    pub fn neighbours(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let live = |start| {
            let slot = self.blocks.get(self.blocks.begins(start)?);
            slot.is_live().then(|| slot.block())
        };
        let (from, to) = (start.saturating_sub(near), end.saturating_add(near));
        let before = successors(self.starts.before(start), |at| self.starts.before(*at));
        let behind = successors(self.starts.from(end), |at| {
            self.starts.from(at.checked_add(1)?)
        });
        (
            before.take_while(|at| *at >= from).find_map(live),
            behind.take_while(|at| *at <= to).find_map(live),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::tests::device_block;
    use aclsan_log::SiteId;

    #[test]
    fn a_block_that_is_met_for_the_first_time_is_new_if_that_is_noted() {
        let mut heap = Heap::default();
        let block = device_block(1, 0x1000, 16);
        heap.allocate(block, 0, 1);
        assert_eq!(heap.met(0x1000, || false), Some((block, false)));
        assert_eq!(heap.met(0x1000, || true), Some((block, true)));
        assert_eq!(heap.met(0x1000, || true), Some((block, false)));
        assert_eq!(heap.met(0x1008, || true), None);
        heap.release(block.id, SiteId(1));
        assert_eq!(heap.met(0x1000, || true), None);
    }
}
