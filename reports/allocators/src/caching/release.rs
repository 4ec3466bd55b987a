//! What the cache returns to the device, and when.

use super::Caching;
use super::blocks::{BlockId, PoolId};
use crate::device::Device;

impl Caching {
    /// Returns everything that is not cut, of all pools whose memory may be returned.
    pub(super) fn release_cached(&mut self, device: &mut Device) {
        for pool in self.blocks.returnable() {
            let free: Vec<BlockId> = self.blocks.free(pool).collect();
            let (mut segments, mut expandable) = (Vec::new(), Vec::new());
            for id in free {
                match self.blocks[id].reservation {
                    Some(_) => expandable.push(id),
                    None if self.blocks[id].is_split() => {}
                    None => segments.push(id),
                }
            }
            segments
                .into_iter()
                .for_each(|id| self.free_segment(id, device));
            expandable.into_iter().for_each(|id| self.unmap(id, device));
        }
    }

    /// With a `max_split_size`: returns oversized blocks of the stream until there is room for the request. Returns whether it may be.
    pub(super) fn release_oversized(
        &mut self,
        pool: PoolId,
        (stream, size): (u32, u64),
        device: &mut Device,
    ) -> bool {
        let limit = self.settings.max_split;
        if limit == u64::MAX {
            return false;
        }
        let wanted = size.max(limit);
        let larger = self.blocks.at_least(pool, stream, wanted).next();
        if let Some(id) = larger {
            self.free_segment(id, device);
            return true;
        }
        let mut found = 0;
        let mut oversized = Vec::new();
        for id in self.blocks.before(pool, stream, wanted) {
            let block = &self.blocks[id];
            if found >= wanted || block.size < limit || block.stream != stream {
                break;
            }
            found += block.size;
            oversized.push(id);
        }
        oversized
            .into_iter()
            .for_each(|id| self.free_segment(id, device));
        found >= wanted
    }

    /// With a `garbage_collection_threshold` and a memory fraction: returns segments that were not used for longer than the average.
    pub(super) fn collect_garbage(&mut self, device: &mut Device) {
        let Some(allowed) = self.settings.allowed(device.capacity()) else {
            return;
        };
        let threshold = (self.settings.garbage_collection * allowed as f64) as u64;
        if self.settings.garbage_collection <= 0.0 || self.reserved <= threshold {
            return;
        }
        let target = self.reserved - threshold;
        let pool = self.blocks.pool(0, false);
        let ages = |caching: &Self| -> Vec<(BlockId, u64)> {
            let whole = (caching.blocks.free(pool)).filter(|&id| !caching.blocks[id].is_split());
            whole.map(|id| (id, caching.blocks.age(id))).collect()
        };
        let (mut left, mut reclaimed) = (ages(self), 0);
        while reclaimed < target && !left.is_empty() {
            let total: u64 = left.iter().map(|(_, age)| age).sum();
            let average = total as f64 / left.len() as f64;
            let old: Vec<BlockId> = (left.iter().filter(|(_, age)| *age as f64 >= average))
                .map(|&(id, _)| id)
                .collect();
            if old.is_empty() {
                return;
            }
            for id in old {
                reclaimed += self.blocks[id].size;
                self.free_segment(id, device);
            }
            left = ages(self);
        }
    }

    /// Returns a segment that is one free block.
    fn free_segment(&mut self, id: BlockId, device: &mut Device) {
        let (address, size) = (self.blocks[id].address, self.blocks[id].size);
        self.blocks.take(id);
        self.blocks.forget(id);
        device.release(address, size);
        self.reserved -= size;
    }
}
