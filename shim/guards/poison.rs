//! Poison: a pattern over a whole block. In a new block it reveals bytes that nobody wrote when they are copied to the host; in a quarantined
//! block it reveals late writes.

use super::redzone::{Mismatch, first_and_last_mismatch};
use super::{Device, Space};
use aclsan_log::BlockId;
use aclsan_os::lock::{Mutex, rank};
use aclsan_os::maps;
use aclsan_os::racy_once::RacyOnce;
use aclsan_rules::evidence::pattern;
use aclsan_rules::evidence::pattern::PERIOD;
use aclsan_tables::live::Entry;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes at the start of a block that are poisoned, at most.
pub const MAX_POISONED: u64 = 16 << 20;
/// Bytes of one copy, at most; the pattern restarts after each chunk.
const CHUNK: usize = 4096 * PERIOD as usize;

/// Live blocks that were poisoned when they were allocated, by start.
#[derive(Default)]
pub struct PoisonedBlocks {
    count: AtomicUsize,
    blocks: Mutex<rank::Poison, HashMap<u64, BlockId>>,
}

impl PoisonedBlocks {
    fn change(&self, work: impl FnOnce(&mut HashMap<u64, BlockId>)) {
        let mut blocks = self.blocks.lock();
        work(&mut blocks);
        self.count.store(blocks.len(), Relaxed);
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Whether the block `id` at `address` was poisoned.
    pub fn contains(&self, address: u64, id: BlockId) -> bool {
        let blocks = self.blocks.lock();
        blocks.get(&address) == Some(&id)
    }

    /// Removes the block that starts at `address`.
    #[inline(always)]
    pub fn forget(&self, address: u64) {
        if !self.is_empty() {
            self.change(|blocks| {
                blocks.remove(&address);
            });
        }
    }

    /// Poisons a new block.
    #[cold]
    pub fn poison_new(&self, device: &impl Device, address: u64, entry: &Entry) {
        if write_pattern(device, address, entry) {
            self.change(|blocks| {
                blocks.insert(address, entry.id);
            });
        }
    }
}

fn pattern() -> &'static [u8] {
    static PATTERN: RacyOnce<Box<[u8]>> = RacyOnce::new();
    PATTERN.get_or_init(|| (0..CHUNK as u64).map(pattern::fill).collect())
}

/// The chunks of a block: the offset of each, and its length.
fn chunks(size: u64) -> impl Iterator<Item = (u64, usize)> {
    let size = size.min(MAX_POISONED);
    let starts = (0..size).step_by(CHUNK);
    starts.map(move |start| (start, (size - start).min(CHUNK as u64) as usize))
}

/// Poisons a block, or its first part; `false` if the runtime refuses.
pub fn write_pattern(device: &impl Device, address: u64, entry: &Entry) -> bool {
    maps::is_plausible_range(address, entry.size)
        && chunks(entry.size)
            .all(|(at, length)| device.write(Space::of(entry), address + at, &pattern()[..length]))
}

/// Compares a poisoned block with the pattern; the mismatch spans from the first to the last differing byte.
pub fn compare(device: &impl Device, address: u64, entry: &Entry) -> Option<Mismatch> {
    let mut mismatch: Option<Mismatch> = None;
    let mut bytes = vec![0; entry.size.min(CHUNK as u64) as usize];
    for (at, length) in chunks(entry.size) {
        let bytes = &mut bytes[..length];
        if !device.read(Space::of(entry), address + at, bytes) {
            break;
        }
        let Some((range, found)) = first_and_last_mismatch(bytes, &pattern()[..length]) else {
            continue;
        };
        let end = at + range.end as u64;
        let (offset, found) = match mismatch {
            Some(first) => (first.offset, first.found),
            None => (at + range.start as u64, found),
        };
        mismatch = Some(Mismatch {
            offset,
            extent: end - offset,
            found,
        });
    }
    mismatch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_device::{FakeDevice, entry};

    #[test]
    fn late_writes_are_found_from_the_first_to_the_last_over_chunks() {
        let device = FakeDevice::default();
        let (size, start) = (CHUNK as u64 + 100, 1 << 30);
        let entry = entry(size);
        assert!(write_pattern(&device, start, &entry));
        assert_eq!(compare(&device, start, &entry), None);
        device.write(Space::Device, start + 8, &[0, 0]);
        device.write(Space::Device, start + size - 1, &[0]);
        let mismatch = compare(&device, start, &entry).unwrap();
        assert_eq!((mismatch.offset, mismatch.extent), (8, size - 8));
    }

    #[test]
    fn a_block_is_known_to_be_poisoned_until_it_is_forgotten_and_only_if_it_was_written() {
        let (device, blocks) = (FakeDevice::default(), PoisonedBlocks::default());
        device.refuses.set(true);
        blocks.poison_new(&device, 4096, &entry(64));
        assert!(blocks.is_empty());
        device.refuses.set(false);
        blocks.poison_new(&device, 4096, &entry(64));
        assert!(blocks.contains(4096, BlockId(7)) && !blocks.contains(4096, BlockId(8)));
        blocks.forget(4096);
        assert!(blocks.is_empty());
    }
}
