//! Looks up live blocks by where they begin, which is how calls mostly name them.

use std::iter::successors;

use aclsan_log::BlockId;

use super::model::Heap;
use crate::api::block::Block;
use crate::api::family::Family;

/// A live block of memory that calls have named.
pub struct NamedBlock {
    /// Its id.
    pub id: BlockId,
    /// A small number that no other block of the heap has now: its slot.
    pub place: u32,
    /// Bytes that the program asked for.
    pub size: u64,
}

impl Heap {
    /// The live block that begins at `address`, if a call has named it recently and nothing new would be noted. `None`
    /// does not prove that there is no block.
    #[inline(always)]
    pub fn named_at(&self, address: u64) -> Option<NamedBlock> {
        let place = self.blocks.recently_named_at(address);
        let slot = self.blocks.slot(place)?;
        let (id, size) = (slot.id(), slot.size());
        (slot.is_named_at(address)).then_some(NamedBlock { id, place, size })
    }

    /// The live block that begins at `address`, which a call names. The first naming of device memory is noted if
    /// `is_noted` agrees; the second value says whether it was.
    pub fn name_at(
        &mut self,
        address: u64,
        is_noted: impl FnOnce() -> bool,
    ) -> Option<(Block, bool)> {
        let at = self.blocks.set_named_at(address)?;
        let slot = self.blocks.get_mut(at);
        let block = slot.block();
        if !slot.is_live() {
            return None;
        }
        let is_new = !slot.is_named() && block.family() == Family::Device && is_noted();
        if is_new {
            slot.name();
        }
        slot.set_named_at();
        Some((block, is_new))
    }

    /// The nearest live blocks before and after `block`, at most `near` bytes away.
    pub fn neighbors(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let live = |slot| {
            let slot = self.blocks.get(slot);
            slot.is_live().then(|| slot.block())
        };
        let (from, to) = (start.saturating_sub(near), end.saturating_add(near));
        let before = successors(self.starts.last_before(start), |(at, _)| {
            self.starts.last_before(*at)
        });
        let after = successors(self.starts.first_from(end), |at| {
            self.starts.first_from(at.checked_add(1)?)
        });
        (
            (before.take_while(|(at, _)| *at >= from)).find_map(|(_, slot)| live(slot)),
            (after.take_while(|at| *at <= to)).find_map(|at| live(self.blocks.begins(at)?)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trackers::heap::tests::device_block;
    use aclsan_log::CallSiteId;

    #[test]
    fn a_block_that_is_met_for_the_first_time_is_new_if_that_is_noted() {
        let mut heap = Heap::default();
        let block = device_block(1, 0x1000, 16);
        heap.allocate(block, 0, 1);
        assert_eq!(heap.name_at(0x1000, || false), Some((block, false)));
        assert_eq!(heap.name_at(0x1000, || true), Some((block, true)));
        assert_eq!(heap.name_at(0x1000, || true), Some((block, false)));
        assert_eq!(heap.name_at(0x1008, || true), None);
        heap.release(block.id, CallSiteId(1));
        assert_eq!(heap.name_at(0x1000, || true), None);
    }

    #[test]
    fn a_block_is_met_again_as_long_as_it_lives() {
        let mut heap = Heap::default();
        let again = |heap: &Heap, address| {
            heap.named_at(address)
                .map(|name_at| (name_at.id.0, name_at.size))
        };
        heap.allocate(device_block(1, 0x1000, 16), 0, 1);
        assert_eq!(again(&heap, 0x1000), None, "nobody has named it");
        heap.name_at(0x1000, || true);
        assert_eq!(again(&heap, 0x1000), Some((1, 16)));
        assert_eq!(again(&heap, 0x1008), None);
        heap.release(BlockId(1), CallSiteId(1));
        assert_eq!(again(&heap, 0x1000), None, "it has ended");
        heap.restore(BlockId(1));
        assert_eq!(again(&heap, 0x1000), Some((1, 16)));
        heap.release(BlockId(1), CallSiteId(1));
        heap.allocate(device_block(2, 0x1000, 8), 0, 1);
        assert_eq!(again(&heap, 0x1000), None, "nobody has named this one");
        heap.name_at(0x1000, || false);
        assert_eq!(again(&heap, 0x1000), Some((2, 8)));
        heap.forget(BlockId(2));
        assert_eq!(again(&heap, 0x1000), None);
        heap.allocate(device_block(3, 0x9000, 8), 0, 1); // in its slot
        heap.name_at(0x9000, || true);
        assert_eq!(again(&heap, 0x1000), None);
        // Of many blocks that share a position, each is found as itself.
        for id in 4..20_000 {
            heap.allocate(device_block(id, 0x1000 * id, 64), 0, 1);
            heap.name_at(0x1000 * id, || true);
            assert_eq!(again(&heap, 0x1000 * id), Some((id, 64)));
        }
        let known = (4..20_000).filter_map(|id| Some((id, again(&heap, 0x1000 * id)?)));
        let known: Vec<_> = known.collect();
        assert!(known.iter().all(|&(id, name_at)| name_at == (id, 64)));
        assert!(known.len() > 1_000, "{}", known.len());
    }
}
