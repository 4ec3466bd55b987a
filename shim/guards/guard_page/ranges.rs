//! The address ranges of blocks with a guard page: live, released in stream order, retired without memory.

use super::PAGE;
use crate::{Device, Mapping};
use aclsan_os::lock::{Mutex, rank};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Limits of retired ranges, which stay reserved: their number and their bytes of addresses.
const MAX_RETIRED: usize = 1024;
const MAX_RETIRED_BYTES: u64 = 16 << 30;

/// A block that ends at a guard page.
#[derive(Clone, Copy, Debug)]
pub struct GuardedBlock {
    /// Its address range.
    pub mapping: Mapping,
    /// Bytes of memory from the range's start.
    pub pages: u64,
    /// Its device.
    pub device: i32,
    /// Bytes and page size that the runtime would have reported, had it allocated the block.
    pub apparent: (u64, u64),
    /// The stream that orders its release, if one does.
    pub stream: u64,
}

impl GuardedBlock {
    /// Start of the unmapped page.
    pub fn end(&self) -> u64 {
        self.mapping.base + self.pages
    }

    /// Bytes of addresses that it takes, the unmapped page included.
    fn addresses(&self) -> u64 {
        self.pages + PAGE
    }
}

/// Ranges by the start of their blocks.
#[derive(Default)]
struct Store {
    live: BTreeMap<u64, GuardedBlock>,
    /// Released in stream order; the stream may not have reached the release yet.
    deferred: Vec<(u64, GuardedBlock)>,
    /// Released and unmapped.
    retired: VecDeque<(u64, GuardedBlock)>,
    /// Bytes of addresses that retired ranges take.
    retired_bytes: u64,
    /// Bytes of mapped memory, blocks that are being placed included.
    taken: u64,
}

impl Store {
    /// Retires a range; returns the oldest ranges over the limit, to be unreserved.
    fn retire(&mut self, address: u64, block: GuardedBlock) -> Vec<(u64, GuardedBlock)> {
        self.retired.push_back((address, block));
        self.retired_bytes += block.addresses();
        let mut surplus = Vec::new();
        while self.retired.len() > MAX_RETIRED || self.retired_bytes > MAX_RETIRED_BYTES {
            let Some(oldest) = self.retired.pop_front() else {
                break;
            };
            self.retired_bytes -= oldest.1.addresses();
            surplus.push(oldest);
        }
        surplus
    }

    /// Removes the retired ranges for which `is_such` holds.
    fn reclaim(&mut self, is_such: impl Fn(&GuardedBlock) -> bool) -> Vec<GuardedBlock> {
        let retired = std::mem::take(&mut self.retired).into_iter();
        let (such, others): (Vec<_>, Vec<_>) = retired.partition(|(_, block)| is_such(block));
        self.retired = others.into();
        let such: Vec<GuardedBlock> = such.into_iter().map(|(_, block)| block).collect();
        self.retired_bytes -= such.iter().map(GuardedBlock::addresses).sum::<u64>();
        such
    }
}

/// The runtime refused to unmap a released block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnmapFailed;

/// The process's blocks with guard pages.
#[derive(Default)]
pub struct GuardPages {
    /// Live and deferred ones.
    count: AtomicUsize,
    store: Mutex<rank::GuardRanges, Store>,
    is_off: AtomicBool,
    /// Warnings already printed, a bit each.
    said: AtomicU32,
}

impl GuardPages {
    fn change<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.store.lock();
        let done = work(&mut store);
        self.count
            .store(store.live.len() + store.deferred.len(), Relaxed);
        done
    }

    /// Whether there is none, live or deferred.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Whether placing was turned off.
    pub fn is_off(&self) -> bool {
        self.is_off.load(Relaxed)
    }

    /// Turns placing off.
    pub fn turn_off(&self) {
        self.is_off.store(true, Relaxed);
    }

    /// Whether warning number `which` is to be printed for the first time; marks it as printed.
    pub fn is_first(&self, which: u32) -> bool {
        self.said.fetch_or(1 << which, Relaxed) >> which & 1 == 0
    }

    /// Reserves `pages` bytes of the budget; `false` if `limit` would be exceeded.
    pub(super) fn take(&self, pages: u64, limit: u64) -> bool {
        self.change(|store| {
            let has_room = pages <= limit.saturating_sub(store.taken);
            store.taken += if has_room { pages } else { 0 };
            has_room
        })
    }

    pub(super) fn give_back(&self, pages: u64) {
        self.change(|store| store.taken -= pages);
    }

    /// Whether no live guarded block overlaps the `bytes` from `start`.
    pub(super) fn is_free(&self, start: u64, bytes: u64) -> bool {
        self.change(|store| {
            let mut before = store.live.range(..start.saturating_add(bytes));
            let last = before.next_back().map(|(_, block)| block);
            last.is_none_or(|block| block.end() < start)
        })
    }

    pub(super) fn insert(&self, address: u64, block: GuardedBlock) {
        self.change(|store| store.live.insert(address, block));
    }

    /// The live block that starts at `address`.
    pub fn get(&self, address: u64) -> Option<GuardedBlock> {
        self.change(|store| store.live.get(&address).copied())
    }

    /// The last live block that starts at or before `address`, with its start.
    pub fn at_or_before(&self, address: u64) -> Option<(u64, GuardedBlock)> {
        self.change(|store| {
            let (&start, block) = store.live.range(..=address).next_back()?;
            Some((start, *block))
        })
    }

    /// The `addresses` that point into a live block or to its end, `most` at most.
    pub fn named_in(&self, addresses: &[u64], most: usize) -> Vec<u64> {
        self.change(|store| {
            let is_in = |&&address: &&u64| {
                let block = store.live.range(..=address).next_back();
                block.is_some_and(|(_, block)| address - block.mapping.base <= block.pages)
            };
            let named = addresses.iter().filter(is_in);
            named.copied().take(most).collect()
        })
    }

    /// The starts of the live blocks of a device, in ascending order.
    pub fn of_device(&self, device: i32) -> Vec<u64> {
        self.change(|store| {
            let such = store
                .live
                .iter()
                .filter(|(_, block)| block.device == device);
            such.map(|(&start, _)| start).collect()
        })
    }

    /// Sets the stream that orders the release of the block that starts at `address`.
    pub fn set_stream(&self, address: u64, stream: u64) {
        self.change(|store| {
            if let Some(block) = store.live.get_mut(&address) {
                block.stream = stream;
            }
        });
    }

    /// Removes the live block that starts at `address`; if `is_deferred`, it is kept mapped until [`GuardPages::drain_deferred`].
    pub fn remove(&self, address: u64, is_deferred: bool) -> Option<GuardedBlock> {
        self.change(|store| {
            let block = store.live.remove(&address)?;
            if is_deferred {
                store.deferred.push((address, block));
            }
            Some(block)
        })
    }

    /// Removes the deferred blocks of a stream, or for `None` of a device.
    pub fn drain_deferred(
        &self,
        device: Option<i32>,
        stream: Option<u64>,
    ) -> Vec<(u64, GuardedBlock)> {
        self.change(|store| {
            let is_due = |block: &GuardedBlock| match stream {
                Some(stream) => block.stream == stream,
                None => Some(block.device) == device,
            };
            let (due, later) = store
                .deferred
                .drain(..)
                .partition(|(_, block)| is_due(block));
            store.deferred = later;
            due
        })
    }

    /// Frees a block's memory and retires its addresses; returns the oldest ranges over the limit, to be unreserved.
    pub fn unmap(
        &self,
        runtime: &impl Device,
        address: u64,
        block: &GuardedBlock,
    ) -> Result<Vec<(u64, GuardedBlock)>, UnmapFailed> {
        if !runtime.unmap(&block.mapping) {
            return Err(UnmapFailed);
        }
        Ok(self.change(|store| {
            store.taken -= block.pages;
            store.retire(address, *block)
        }))
    }

    /// Removes all blocks of a device, retired ones included, after its last reset has dropped its memory.
    pub fn remove_device(&self, device: i32) -> Vec<GuardedBlock> {
        self.change(|store| {
            let of_device = |block: &GuardedBlock| block.device == device;
            let mut gone = Vec::new();
            store.live.retain(|_, block| {
                if of_device(block) {
                    gone.push(*block);
                }
                !of_device(block)
            });
            let deferred = store.deferred.extract_if(.., |(_, block)| of_device(block));
            gone.extend(deferred.map(|(_, block)| block));
            store.taken -= gone.iter().map(|block| block.pages).sum::<u64>();
            gone.extend(store.reclaim(of_device));
            gone
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(device: i32, pages: u64) -> GuardedBlock {
        let base = 1 << 40;
        GuardedBlock {
            mapping: Mapping { base, handle: 0 },
            pages,
            device,
            apparent: (0, 0),
            stream: 0,
        }
    }

    #[test]
    fn ranges_are_retired_until_they_are_too_many_or_too_large() {
        let mut store = Store::default();
        for address in 0..MAX_RETIRED as u64 {
            let block = block((address % 2) as i32, PAGE);
            assert!(store.retire(address, block).is_empty());
        }
        // 1,024 ranges of two pages each take 4 GiB; the next one takes the first one's place.
        assert_eq!(store.retired_bytes, 4 << 30);
        assert_eq!(store.retire(1024, block(0, PAGE))[0].0, 0);
        assert_eq!(store.retired_bytes, 4 << 30);
        // Device 0 had 512, lost one and was given another.
        assert_eq!(store.reclaim(|block| block.device == 0).len(), 512);
        assert_eq!((store.retired.len(), store.retired_bytes), (512, 2 << 30));
        // With one of 14 GiB and a page there are as many bytes too many, which one of the others takes along.
        assert_eq!(store.retire(2000, block(0, 14 << 30)).len(), 1);
        assert!(store.retired_bytes <= MAX_RETIRED_BYTES);
    }
}
