//! Expandable segments: ranges of addresses that get memory piece by piece.

use super::Caching;
use super::blocks::{Block, BlockId, PoolId, Reservation};
use crate::device::Device;

/// Bytes of a reservation where the device has no limit.
const UNLIMITED: u64 = 1 << 50;

impl Caching {
    /// Bytes that the block has, and could get behind it.
    pub(super) fn room(&self, id: BlockId) -> u64 {
        let block = &self.blocks[id];
        let after = block.after.map(|after| &self.blocks[after]);
        let unmapped = after.filter(|after| !after.is_mapped);
        block.size + unmapped.map_or(0, |after| after.size)
    }

    /// A block of at least `size` bytes, in no pool, for which memory is mapped where there is none.
    pub(super) fn expand(
        &mut self,
        pool: PoolId,
        stream: u32,
        size: u64,
        device: &mut Device,
    ) -> Option<BlockId> {
        let mut id = match self.expandable_block(pool, stream, size) {
            Some(id) => id,
            None => self.reservation(pool, stream, device),
        };
        if !self.blocks[id].is_mapped {
            self.map(id, size.min(self.blocks[id].size), device)?;
        }
        // What follows a free block has no memory, and joins it once it has.
        while self.blocks[id].size < size {
            let next = self.blocks[id].after?;
            let missing = size - self.blocks[id].size;
            self.map(next, missing.min(self.blocks[next].size), device)?;
            id = next;
        }
        self.blocks.take(id);
        Some(id)
    }

    /// Free and unmapped blocks in a row with `size` bytes, of the lowest address: the first of them.
    fn expandable_block(&self, pool: PoolId, stream: u32, size: u64) -> Option<BlockId> {
        let is_free = |id: BlockId| !self.blocks[id].is_used;
        let mut starts = self.blocks.unmapped(pool, stream).map(|id| {
            let before = self.blocks[id].before;
            before.filter(|&before| is_free(before)).unwrap_or(id)
        });
        starts.find(|&start| {
            let (mut bytes, mut next) = (0, Some(start));
            while let Some(id) = next.filter(|&id| bytes < size && is_free(id)) {
                bytes += self.blocks[id].size;
                next = self.blocks[id].after;
            }
            bytes >= size
        })
    }

    /// Addresses for one and an eighth of the device: so much is in one row even if memory in the middle is returned.
    fn reservation(&mut self, pool: PoolId, stream: u32, device: &mut Device) -> BlockId {
        let rules = &self.settings.rules;
        let piece = match self.blocks.is_small(pool) {
            true => rules.small_segment,
            false if self.settings.is_1g => rules.page_1g,
            false => self.settings.expandable_segment,
        };
        let bytes = device.capacity().map_or(UNLIMITED, |all| all + all / 8);
        let bytes = bytes.next_multiple_of(piece);
        let start = device.reserve(bytes);
        let id = self.blocks.add(Block {
            is_mapped: false,
            reservation: Some(Reservation { start, piece }),
            ..Block::new(start, bytes, stream, pool)
        });
        self.blocks.put(id);
        id
    }

    /// Maps memory at the start of an unmapped block, at least `size` bytes, and puts the result into the pool.
    fn map(&mut self, id: BlockId, size: u64, device: &mut Device) -> Option<()> {
        let piece = self.blocks[id].reservation?.piece;
        let mapped = size.next_multiple_of(piece);
        if !device.take(mapped) {
            return None;
        }
        self.reserved += mapped;
        self.blocks.take(id);
        if mapped < self.blocks[id].size {
            let rest = self.blocks.split(id, mapped);
            self.blocks.put(rest);
        }
        self.blocks[id].is_mapped = true;
        self.join(id);
        Some(())
    }

    /// Returns the whole pieces of a free block to the device, and the reservation if nothing of it is left.
    pub(super) fn unmap(&mut self, id: BlockId, device: &mut Device) {
        let Some(Reservation { start: base, piece }) = self.blocks[id].reservation else {
            return;
        };
        let (start, size) = (self.blocks[id].address, self.blocks[id].size);
        let from = base + (start - base).next_multiple_of(piece);
        let until = base + (start + size - base) / piece * piece;
        if from >= until {
            return;
        }
        self.blocks.take(id);
        let mut id = id;
        if from > start {
            let rest = self.blocks.split(id, from - start);
            self.blocks.put(id);
            id = rest;
        }
        if until < start + size {
            let rest = self.blocks.split(id, until - from);
            self.blocks.put(rest);
        }
        device.give_back(until - from);
        self.reserved -= until - from;
        self.blocks[id].is_mapped = false;
        self.join(id);
        if !self.blocks[id].is_split() {
            self.blocks.take(id);
            self.blocks.forget(id);
        }
    }

    /// Joins a block with its neighbors and puts it into the pool.
    fn join(&mut self, id: BlockId) {
        self.blocks.merge(id, self.blocks[id].before);
        self.blocks.merge(id, self.blocks[id].after);
        self.blocks.put(id);
    }
}
