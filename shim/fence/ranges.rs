//! The ranges of fenced blocks: live, released in the order of a stream, resting without memory.

use super::PAGE;
use crate::interpose::fenced::{self, Placed};
use crate::process::Process;
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

/// Ranges by the start of their block.
#[derive(Default)]
pub(super) struct Store {
    pub(super) live: BTreeMap<u64, Fence>,
    /// Of blocks released in the order of a stream, which may not have come to it.
    pub(super) late: Vec<(u64, Fence)>,
    /// Of released blocks, unmapped.
    pub(super) resting: VecDeque<(u64, Fence)>,
    /// Bytes of memory, also of blocks that are being placed.
    pub(super) taken: u64,
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
        store.resting.push_back((address, *fence));
        let bytes = |store: &Store| -> u64 {
            let all = store.resting.iter();
            all.map(|(_, fence)| fence.pages + PAGE).sum()
        };
        let mut surplus = Vec::new();
        while store.resting.len() > RESTING_MOST || bytes(store) > RESTING_BYTES {
            surplus.extend(store.resting.pop_front());
        }
        surplus
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
        let resting = std::mem::take(&mut store.resting);
        let (ours, others): (Vec<_>, Vec<_>) = resting.into_iter().partition(|(_, f)| of_device(f));
        store.resting = others.into();
        gone.extend(ours.into_iter().map(|(_, fence)| fence));
        gone
    });
    for fence in gone {
        fenced::forget(fence.placed.base);
    }
    fences.rules().reset(device);
}
