//! The runtime's stream-ordered pool: `aclrtMemPoolMallocAsync`, `cudaMallocFromPoolAsync`.
//!
//! Source: AscendCL's header and runtime (9.1), CUDA's programming guide. A block takes whole pieces of 2 MiB. What is released serves later requests of
//! the same stream; other streams get it once they are ordered behind the release, which the pool sees with
//! `REUSE_FOLLOW_EVENT_DEPENDENCIES` or `REUSE_ALLOW_INTERNAL_DEPENDENCIES`: with [`StreamOrdered::reuses_across_streams`] they always do.
//! A synchronization returns idle blocks beyond the release threshold; recordings show none, so it counts as one where the program
//! empties its cache. The runtime's choice among idle blocks is not documented: the smallest that is large enough is cut.

use std::collections::BTreeSet;

use crate::MIB;
use crate::allocator::Allocator;
use crate::device::Device;
use crate::request::{Asked, Part};

const PIECE: u64 = 2 * MIB;

/// The pool's books.
#[derive(Default, Debug)]
pub struct StreamOrdered {
    /// Whether a stream gets what another released.
    pub reuses_across_streams: bool,
    /// Bytes that stay in the pool when it is emptied.
    pub release_threshold: u64,
    /// Idle bytes: stream, size, number.
    idle: BTreeSet<(u32, u64, u64)>,
    /// Stream and size of each part.
    parts: Vec<Option<(u32, u64)>>,
    blocks: u64,
    reserved: u64,
    allocated: u64,
}

impl StreamOrdered {
    fn idle_for(&self, stream: u32, bytes: u64) -> Option<(u32, u64, u64)> {
        let own = (stream, bytes, 0)..=(stream, u64::MAX, u64::MAX);
        let own = self.idle.range(own).next().copied();
        own.or_else(|| {
            let others = self.idle.iter().filter(|_| self.reuses_across_streams);
            others
                .filter(|(_, size, _)| *size >= bytes)
                .min_by_key(|(_, size, _)| *size)
                .copied()
        })
    }

    fn put(&mut self, stream: u32, bytes: u64) {
        if bytes > 0 {
            self.blocks += 1;
            self.idle.insert((stream, bytes, self.blocks));
        }
    }

    /// Returns idle blocks, the largest first, while more than `keep` bytes are reserved.
    fn trim(&mut self, keep: u64, device: &mut Device) {
        let mut idle: Vec<(u32, u64, u64)> = self.idle.iter().copied().collect();
        idle.sort_unstable_by_key(|&(_, size, _)| std::cmp::Reverse(size));
        for block in idle {
            if self.reserved <= keep {
                return;
            }
            self.idle.remove(&block);
            self.reserved -= block.1;
            device.give_back(block.1);
        }
    }
}

impl Allocator for StreamOrdered {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let Some(bytes) = asked.bytes.max(1).checked_next_multiple_of(PIECE) else {
            return false;
        };
        match self.idle_for(asked.stream, bytes) {
            Some(block) => {
                self.idle.remove(&block);
                self.put(block.0, block.1 - bytes);
            }
            None => {
                if !device.take(bytes) {
                    self.trim(0, device);
                    if !device.take(bytes) {
                        return false;
                    }
                }
                self.reserved += bytes;
            }
        }
        let index = part as usize;
        if index >= self.parts.len() {
            self.parts.resize(index + 1, None);
        }
        self.parts[index] = Some((asked.stream, bytes));
        self.allocated += bytes;
        true
    }

    fn release(&mut self, part: Part, _device: &mut Device) {
        if let Some((stream, bytes)) = self.parts.get_mut(part as usize).and_then(Option::take) {
            self.allocated -= bytes;
            self.put(stream, bytes);
        }
    }

    fn empty_cache(&mut self, device: &mut Device) {
        self.trim(self.release_threshold, device);
    }

    fn reserved(&self) -> u64 {
        self.reserved
    }

    fn allocated(&self) -> u64 {
        self.allocated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(bytes: u64, stream: u32) -> Asked {
        Asked {
            bytes,
            stream,
            pool: 0,
        }
    }

    #[test]
    fn a_stream_reuses_its_own_and_with_the_attribute_those_of_others() {
        for (reuses, reserved) in [(false, 6), (true, 4)] {
            let mut pool = StreamOrdered {
                reuses_across_streams: reuses,
                ..StreamOrdered::default()
            };
            let mut device = Device::new(None);
            assert!(pool.allocate(0, asked(3 * MIB, 1), &mut device));
            pool.release(0, &mut device);
            assert!(pool.allocate(1, asked(1, 1), &mut device));
            assert!(pool.allocate(2, asked(1, 2), &mut device));
            assert_eq!(pool.reserved(), reserved * MIB);
        }
    }

    #[test]
    fn idle_blocks_are_returned_down_to_the_threshold_and_all_of_them_in_need() {
        let mut pool = StreamOrdered {
            release_threshold: 4 * MIB,
            ..StreamOrdered::default()
        };
        let mut device = Device::new(Some(12 * MIB));
        for (part, bytes) in [(0, 2), (1, 4), (2, 6)] {
            assert!(pool.allocate(part, asked(bytes * MIB, part), &mut device));
        }
        (0..3).for_each(|part| pool.release(part, &mut device));
        assert_eq!(pool.reserved(), 12 * MIB);
        pool.empty_cache(&mut device);
        assert_eq!(
            pool.reserved(),
            2 * MIB,
            "the largest first, until 4 are not exceeded"
        );
        assert!(pool.allocate(0, asked(12 * MIB, 3), &mut device));
        assert_eq!(device.in_use(), 12 * MIB);
    }
}
