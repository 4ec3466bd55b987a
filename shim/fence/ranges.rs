//! The ranges of fenced blocks: live, released in the order of a stream, resting without memory.

use super::PAGE;
use crate::process::Process;
use crate::runtime::virtual_memory::{self as fenced, Placed};
use crate::say;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ranges of released blocks that stay reserved, and their bytes of addresses.
const RESTING_MOST: usize = 1024;
const RESTING_BYTES: u64 = 16 << 30;

/// A block's range.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    pub(super) placed: Placed,
    /// Bytes of memory, from the range's start on.
    pub(super) pages: u64,
    pub(super) device: i32,
    /// Bytes that the runtime would have set aside, and of which page size.
    pub(super) told: (u64, u64),
    /// The stream that orders its release.
    pub(super) stream: u64,
}

impl Fence {
    /// Bytes of addresses that it takes: its memory's, and a page that has none.
    fn addresses(&self) -> u64 {
        self.pages + PAGE
    }
}

/// Ranges by the start of their block.
#[derive(Default)]
pub(super) struct Store {
    pub(super) live: BTreeMap<u64, Fence>,
    /// Of blocks released in the order of a stream, which may not have come to it.
    pub(super) late: Vec<(u64, Fence)>,
    /// Of released blocks, unmapped.
    resting: VecDeque<(u64, Fence)>,
    /// Bytes of addresses that those take.
    resting_bytes: u64,
    /// Bytes of memory, also of blocks that are being placed.
    pub(super) taken: u64,
}

impl Store {
    /// Lets a range rest; those that are to be given back for it, the oldest first.
    fn rest(&mut self, address: u64, fence: Fence) -> Vec<(u64, Fence)> {
        self.resting.push_back((address, fence));
        self.resting_bytes += fence.addresses();
        let mut surplus = Vec::new();
        while self.resting.len() > RESTING_MOST || self.resting_bytes > RESTING_BYTES {
            let Some(oldest) = self.resting.pop_front() else {
                break;
            };
            self.resting_bytes -= oldest.1.addresses();
            surplus.push(oldest);
        }
        surplus
    }

    /// Takes the resting ranges out for which `is_such` holds.
    fn wake(&mut self, is_such: impl Fn(&Fence) -> bool) -> Vec<Fence> {
        let resting = std::mem::take(&mut self.resting).into_iter();
        let (such, others): (Vec<_>, Vec<_>) = resting.partition(|(_, fence)| is_such(fence));
        self.resting = others.into();
        let such: Vec<Fence> = such.into_iter().map(|(_, fence)| fence).collect();
        self.resting_bytes -= such.iter().map(Fence::addresses).sum::<u64>();
        such
    }
}

/// The process's fenced blocks.
#[derive(Default)]
pub struct Fences {
    /// Live and late ones.
    pub(super) count: AtomicUsize,
    /// Whether there ever was one: rules hear of calls then.
    pub(super) any: AtomicBool,
    store: Mutex<Store>,
    rules: Mutex<aclsan_rules::Fences>,
    /// Whether no more are placed.
    pub(super) is_off: AtomicBool,
    said: AtomicU32,
}

impl Fences {
    pub(super) fn change<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut store);
        self.count
            .store(store.live.len() + store.late.len(), Relaxed);
        done
    }

    pub(super) fn rules(&self) -> MutexGuard<'_, aclsan_rules::Fences> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says `sentence` once; `which` tells apart what is said.
    pub(super) fn say(&self, which: u32, sentence: &str) {
        if self.said.fetch_or(1 << which, Relaxed) >> which & 1 == 0 {
            say::warning(sentence);
        }
    }

    /// Places no more of them.
    pub(super) fn stop(&self, which: u32, sentence: &str) {
        self.is_off.store(true, Relaxed);
        self.say(which, sentence);
    }
}

/// Takes the memory away and lets the addresses rest; the oldest go when there are many.
pub(super) fn unmap(fences: &Fences, address: u64, fence: &Fence) {
    if !fenced::unmap(&fence.placed) {
        fences.stop(
            4,
            "guard=page: the runtime would not unmap a released block; further blocks get rear guards",
        );
        return;
    }
    let surplus = fences.change(|store| {
        store.taken -= fence.pages;
        store.rest(address, *fence)
    });
    for (address, fence) in surplus {
        fences.rules().forgotten(address);
        fenced::forget(fence.placed.base);
    }
}

/// The program has waited, with success, for a stream, or with `None` for the device: releases that it ordered are due.
pub(super) fn settle(fences: &Fences, device: Option<i32>, stream: Option<u64>) {
    let due: Vec<(u64, Fence)> = fences.change(|store| {
        let is_due = |fence: &Fence| match stream {
            Some(stream) => fence.stream == stream,
            None => Some(fence.device) == device,
        };
        let (due, late) = store.late.drain(..).partition(|(_, fence)| is_due(fence));
        store.late = late;
        due
    });
    for (address, fence) in due {
        unmap(fences, address, &fence);
    }
}

/// The device's last reset has dropped its memory: the addresses are given back.
pub fn dropped(process: &Process, device: i32) {
    let fences = &process.fences;
    if !fences.any.load(Relaxed) {
        return;
    }
    let gone: Vec<Fence> = fences.change(|store| {
        let of_device = |fence: &Fence| fence.device == device;
        let mut gone = Vec::new();
        store.live.retain(|_, fence| {
            if of_device(fence) {
                gone.push(*fence);
            }
            !of_device(fence)
        });
        gone.extend(
            store
                .late
                .extract_if(.., |(_, f)| of_device(f))
                .map(|(_, f)| f),
        );
        store.taken -= gone.iter().map(|fence| fence.pages).sum::<u64>();
        gone.extend(store.wake(of_device));
        gone
    });
    for fence in gone {
        fenced::forget(fence.placed.base);
    }
    fences.rules().reset(device);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(device: i32, pages: u64) -> Fence {
        let base = 1 << 40;
        Fence {
            placed: Placed { base, handle: 0 },
            pages,
            device,
            told: (0, 0),
            stream: 0,
        }
    }

    #[test]
    fn ranges_rest_until_they_are_too_many_or_too_large() {
        let mut store = Store::default();
        for address in 0..RESTING_MOST as u64 {
            assert!(
                store
                    .rest(address, fence((address % 2) as i32, PAGE))
                    .is_empty()
            );
        }
        // 1,024 ranges of two pages each take 4 GiB; the next one takes the first one's place.
        assert_eq!(store.resting_bytes, 4 << 30);
        assert_eq!(store.rest(1024, fence(0, PAGE))[0].0, 0);
        assert_eq!(store.resting_bytes, 4 << 30);
        // Device 0 had 512, lost one and was given another.
        assert_eq!(store.wake(|fence| fence.device == 0).len(), 512);
        assert_eq!((store.resting.len(), store.resting_bytes), (512, 2 << 30));
        // With one of 14 GiB and a page there are as many bytes too many, which one of the others takes along.
        assert_eq!(store.rest(2000, fence(0, 14 << 30)).len(), 1);
        assert!(store.resting_bytes <= RESTING_BYTES);
    }
}
