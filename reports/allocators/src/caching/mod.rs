//! The caching allocator of PyTorch and of torch_npu: segments from the device, cut into blocks, which are kept when they are released.
//!
//! Sources: `c10/cuda/CUDACachingAllocator.cpp` of PyTorch 2.1 to 2.9, `torch_npu/csrc/core/npu/NPUCachingAllocator.cpp` of torch_npu 2.1 to
//! 2.9, which is the same allocator with other constants ([`Rules`]). Not modelled: callbacks that free memory, allocators of
//! `MemPool`, memory shared between processes.

mod blocks;
mod expandable;
mod parse;
mod release;
mod settings;

pub use parse::Unusable;
pub use settings::{Rules, Settings, TORCH_CUDA, TORCH_NPU};

use crate::allocator::Allocator;
use crate::device::Device;
use crate::request::{Asked, Part};
use blocks::{Block, BlockId, Blocks, PoolId};

/// The allocator's books.
#[derive(Debug)]
pub struct Caching {
    settings: Settings,
    blocks: Blocks,
    /// The block of each part.
    parts: Vec<Option<BlockId>>,
    reserved: u64,
    allocated: u64,
}

impl Caching {
    /// An allocator that holds nothing.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            blocks: Blocks::default(),
            parts: Vec::new(),
            reserved: 0,
            allocated: 0,
        }
    }

    /// The pool for a request of that size, after rounding.
    fn pool(&mut self, size: u64, private: u32) -> PoolId {
        let is_small = size <= self.settings.rules.small;
        self.blocks.pool(private, is_small)
    }

    /// Takes the best block that is cached out of its pool.
    fn cached(&mut self, pool: PoolId, stream: u32, size: u64) -> Option<BlockId> {
        self.blocks.searched(pool);
        let id = self.best_fit(pool, stream, size)?;
        let (found, limit) = (self.blocks[id].size, self.settings.max_split);
        if size < limit && found >= limit {
            return None; // An oversized block is kept for a large request.
        }
        if size >= limit && found >= size.saturating_add(self.settings.max_non_split_rounding) {
            return None;
        }
        self.blocks.take(id);
        Some(id)
    }

    fn best_fit(&self, pool: PoolId, stream: u32, size: u64) -> Option<BlockId> {
        let mut fits = self.blocks.at_least(pool, stream, size);
        let mut best = fits.next()?;
        // Of blocks that can grow, the one that can grow least.
        for next in fits {
            let is_better =
                self.blocks[best].reservation.is_some() && self.room(next) < self.room(best);
            if !is_better {
                break;
            }
            best = next;
        }
        Some(best)
    }

    /// Takes memory of the device for a block that nobody has cut yet.
    fn new_block(
        &mut self,
        pool: PoolId,
        (stream, size): (u32, u64),
        device: &mut Device,
    ) -> Option<BlockId> {
        let bytes = self.segment_bytes(pool, size);
        if self.is_over_fraction(bytes, device) {
            return None;
        }
        if self.settings.expandable {
            return self.expand(pool, stream, size, device);
        }
        let address = device.allocate(bytes)?;
        self.reserved += bytes;
        Some(self.blocks.add(Block::new(address, bytes, stream, pool)))
    }

    /// Bytes of the segment for a block of `size` bytes.
    fn segment_bytes(&self, pool: PoolId, size: u64) -> u64 {
        let rules = &self.settings.rules;
        let up = |to: u64| size.checked_next_multiple_of(to).unwrap_or(u64::MAX);
        match () {
            () if self.settings.is_1g && !self.blocks.is_small(pool) => up(rules.page_1g),
            () if size <= rules.small => rules.small_segment,
            () if size < rules.large_from => self.settings.large_segment,
            () => up(rules.round_large),
        }
    }

    /// Whether `set_per_process_memory_fraction` forbids `bytes` more.
    fn is_over_fraction(&self, bytes: u64, device: &Device) -> bool {
        let allowed = self.settings.allowed(device.capacity());
        allowed.is_some_and(|allowed| self.reserved.saturating_add(bytes) > allowed)
    }

    /// Gives `size` bytes of the block to the part; what is left may become a block of its own.
    fn give(&mut self, part: Part, mut id: BlockId, size: u64) {
        let align = self.settings.base_alignment;
        if self.settings.expandable && size >= self.settings.rules.round_large && align > 0 {
            id = self.align(id, size, align);
        }
        if self.is_worth_splitting(id, size) {
            let rest = self.blocks.split(id, size);
            self.blocks.put(rest);
        }
        self.blocks[id].is_used = true;
        self.allocated += self.blocks[id].size;
        *self.slot(part) = Some(id);
    }

    /// Moves the start of a block to a multiple of `align`, if there is room for that.
    fn align(&mut self, id: BlockId, size: u64, align: u64) -> BlockId {
        let block = &self.blocks[id];
        let before = block.address.next_multiple_of(align) - block.address;
        if before == 0 || before.saturating_add(size) > block.size {
            return id;
        }
        let aligned = self.blocks.split(id, before);
        self.blocks.put(id);
        aligned
    }

    fn is_worth_splitting(&self, id: BlockId, size: u64) -> bool {
        let block = &self.blocks[id];
        let rest = block.size - size;
        match self.blocks.is_small(block.pool) || self.settings.expandable {
            true => rest >= self.settings.rules.smallest,
            false => size < self.settings.max_split && rest > self.settings.rules.small,
        }
    }

    fn slot(&mut self, part: Part) -> &mut Option<BlockId> {
        let index = part as usize;
        if index >= self.parts.len() {
            self.parts.resize(index + 1, None);
        }
        &mut self.parts[index]
    }

    fn finish(&mut self, id: BlockId) {
        (self.blocks[id].is_used, self.blocks[id].is_retired) = (false, false);
        for neighbor in [self.blocks[id].before, self.blocks[id].after] {
            self.blocks.merge(id, neighbor);
        }
        self.blocks.put(id);
    }
}

impl Allocator for Caching {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let size = self.settings.rounded(asked.bytes);
        let (pool, want) = (self.pool(size, asked.pool), (asked.stream, size));
        if let Some(id) = self.cached(pool, asked.stream, size) {
            self.give(part, id, size);
            return true;
        }
        self.collect_garbage(device);
        let mut found = self.new_block(pool, want, device);
        if found.is_none() && self.release_oversized(pool, want, device) {
            found = self.new_block(pool, want, device);
        }
        if found.is_none() {
            self.release_cached(device);
            found = self.new_block(pool, want, device);
        }
        if let Some(id) = found {
            self.give(part, id, size);
        }
        found.is_some()
    }

    fn retire(&mut self, part: Part) {
        if let Some(id) = *self.slot(part)
            && !self.blocks[id].is_retired
        {
            self.blocks[id].is_retired = true;
            self.allocated -= self.blocks[id].size;
        }
    }

    fn release(&mut self, part: Part, _device: &mut Device) {
        let Some(id) = self.slot(part).take() else {
            return;
        };
        if !self.blocks[id].is_retired {
            self.allocated -= self.blocks[id].size;
        }
        self.finish(id);
    }

    fn empty_cache(&mut self, device: &mut Device) {
        self.release_cached(device);
    }

    fn close_pool(&mut self, pool: u32) {
        self.blocks.close(pool);
    }

    fn reserved(&self) -> u64 {
        self.reserved
    }

    fn allocated(&self) -> u64 {
        self.allocated
    }
}

#[cfg(test)]
mod tests;
