//! The hash table behind the live table: dense, each entry in one line of the processor's caches, and whose place is known before any of it
//! is read, so that it can be fetched ahead.
//!
//! Open addressing in shards, each behind a lock of its own. Entries stand in the order of their hashes, each at its place or as near behind
//! it as there is room; what is taken out leaves no mark. A shard grows by a fifth, and no two at the same time, so that in all of them
//! together a quarter of the room is free, more or less.

mod far;
mod growth;
mod list;

use super::entry::{Entry, Packed, State};
use super::prefetch;
use crate::switch;
use aclsan_log::SiteId;
use aclsan_rules::numbers::hash;
use far::Far;
use list::List;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARD_BITS: u32 = 7;
const SHARDS: usize = 1 << SHARD_BITS;
/// Places of a shard at first.
const FIRST: usize = 64;
/// Room behind the last place, for entries that are not at theirs.
const TAIL: usize = 32;
/// Places for each entry at most. Hashes that nobody chose need two.
const SPARSEST: usize = 64;

/// A key and its entry: half a line.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    /// All bits the other way round: an empty slot has 0, and so has the one key that no block can have.
    key: u64,
    packed: Packed,
}

impl Slot {
    #[inline(always)]
    fn hash(&self) -> u64 {
        hash(!self.key)
    }
}

/// Entries of one part of all hashes.
#[derive(Default)]
struct Slots {
    list: List,
    /// Hashes have so many places in `list`.
    places: usize,
    used: usize,
    far: Option<Box<Far>>,
}

#[repr(align(64))]
struct Shard {
    slots: Mutex<Slots>,
    /// Where `list` lies and how many places it has: for prefetching without the lock. What is told here may be old; a prefetch of what is
    /// nobody's any more does nothing.
    first: AtomicUsize,
    places: AtomicUsize,
}

/// All entries.
pub struct Table(Box<[Shard]>);

impl Default for Table {
    fn default() -> Self {
        let shard = |_| Shard {
            slots: Mutex::default(),
            first: AtomicUsize::new(0),
            places: AtomicUsize::new(0),
        };
        Self((0..SHARDS).map(shard).collect())
    }
}

impl Table {
    /// Files `entry` under `key`, in place of what was there. Where there is no memory left it is not kept: nothing is recorded then.
    #[inline]
    pub fn insert(&self, key: u64, entry: Entry) {
        if key == u64::MAX {
            return;
        }
        let hash = hash(key);
        let shard = self.shard(hash);
        let mut slots = shard.lock();
        let packed = match Packed::of(&entry) {
            Some(packed) if slots.far.is_none() => packed,
            packed => slots.keep_far(key, &entry, packed),
        };
        let mut at = match slots.find(key, hash) {
            Ok(at) => {
                slots.list[at].packed = packed;
                return;
            }
            Err(at) => at,
        };
        if slots.is_full() {
            slots.grow(hash);
            shard.saw(&slots);
            at = slots.find(key, hash).unwrap_or_else(|at| at);
        }
        let slot = Slot { key: !key, packed };
        while !slots.put(at, slot) {
            if !slots.grow(hash) {
                // A block that is not known must not look like a mistake of the program's when it goes.
                switch::memory_is_short();
                return;
            }
            shard.saw(&slots);
            at = slots.find(key, hash).unwrap_or_else(|at| at);
        }
    }

    /// What is filed under `key`.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let hash = hash(key);
        let slots = self.shard(hash).lock();
        let at = slots.find(key, hash).ok()?;
        slots.entry(at)
    }

    /// Changes what is filed under `key`.
    pub fn change(&self, key: u64, change: impl FnOnce(&mut Entry)) {
        let hash = hash(key);
        let mut slots = self.shard(hash).lock();
        if let Ok(at) = slots.find(key, hash)
            && let Some(mut entry) = slots.entry(at)
        {
            change(&mut entry);
            slots.set(at, &entry);
        }
    }

    /// Has the block that is filed under `key` end, if it is live: the entry as it was.
    #[inline]
    pub fn release(&self, key: u64, site: SiteId, age: u8) -> Option<Entry> {
        let hash = hash(key);
        let mut slots = self.shard(hash).lock();
        let at = slots.find_there(key, hash)?;
        let packed = &mut slots.list[at].packed;
        if packed.is_live() {
            let before = packed.entry();
            packed.release(site, age);
            return before;
        }
        let entry = slots.entry(at)?;
        if entry.state != State::Live {
            return None;
        }
        let released = Entry {
            end: site,
            state: State::Released,
            age,
            ..entry
        };
        slots.set(at, &released);
        Some(entry)
    }

    /// Takes out what is filed under `key`.
    pub fn remove(&self, key: u64) {
        let hash = hash(key);
        let mut slots = self.shard(hash).lock();
        if let Ok(at) = slots.find(key, hash) {
            slots.take(at);
        }
    }

    /// Keeps the live blocks' entries, and of the others those that `keep` wants. How many are live.
    pub fn retain(&self, mut keep: impl FnMut(u64, &Entry) -> bool) -> usize {
        let mut live = 0;
        for shard in &self.0 {
            let mut slots = shard.lock();
            let mut at = 0;
            while let Some(slot) = slots.list.get(at) {
                let is_live = slot.key != 0 && slot.packed.is_live();
                live += usize::from(is_live);
                if is_live || slot.key == 0 {
                    at += 1;
                    continue;
                }
                let key = !slot.key;
                match slots.entry(at) {
                    Some(entry) if entry.state == State::Live => (live, at) = (live + 1, at + 1),
                    Some(entry) if !keep(key, &entry) => slots.take(at),
                    _ => at += 1,
                }
            }
            slots.shrink();
            shard.saw(&slots);
        }
        live
    }

    /// Calls `each` with every entry, in no order.
    pub fn for_each(&self, mut each: impl FnMut(u64, &Entry)) {
        for shard in &self.0 {
            let slots = shard.lock();
            for at in 0..slots.list.len() {
                if let Some(entry) = slots.entry(at) {
                    each(!slots.list[at].key, &entry);
                }
            }
        }
    }

    /// As [`Table::for_each`], and has what `each` changes.
    pub fn for_each_mut(&self, mut each: impl FnMut(u64, &mut Entry)) {
        for shard in &self.0 {
            let mut slots = shard.lock();
            for at in 0..slots.list.len() {
                if let Some(mut entry) = slots.entry(at) {
                    each(!slots.list[at].key, &mut entry);
                    slots.set(at, &entry);
                }
            }
        }
    }

    /// Where the entries lie: first addresses and those behind.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let lists = self.0.iter().map(|shard| shard.lock().list.range());
        lists.collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|shard| shard.lock().used).sum()
    }

    /// Starts bringing what stands under `key` into the processor's caches.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        let hash = hash(key);
        let shard = self.shard(hash);
        let place = place(hash, shard.places.load(Relaxed));
        let first = shard.first.load(Relaxed) + place * size_of::<Slot>();
        for address in [first, first + 64] {
            prefetch(std::ptr::without_provenance(address));
        }
    }

    #[inline(always)]
    fn shard(&self, hash: u64) -> &Shard {
        &self.0[(hash >> (64 - SHARD_BITS)) as usize]
    }
}

impl Shard {
    #[inline(always)]
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saw(&self, slots: &Slots) {
        self.first.store(slots.list.as_ptr().addr(), Relaxed);
        self.places.store(slots.places, Relaxed);
    }
}

impl Slots {
    /// Where `key` stands, or where it would.
    #[inline(always)]
    fn find(&self, key: u64, hash: u64) -> Result<usize, usize> {
        let mut at = place(hash, self.places);
        while let Some(slot) = self.list.get(at) {
            if slot.key == !key && slot.key != 0 {
                return Ok(at);
            }
            if slot.key == 0 || slot.hash() > hash {
                break;
            }
            at += 1;
        }
        Err(at)
    }

    /// As [`Slots::find`] of a key that is mostly there: asks each slot on the way for no more than its key.
    #[inline(always)]
    fn find_there(&self, key: u64, hash: u64) -> Option<usize> {
        let mut at = place(hash, self.places);
        while let Some(slot) = self.list.get(at) {
            if slot.key == !key {
                return (slot.key != 0).then_some(at);
            }
            if slot.key == 0 {
                break;
            }
            at += 1;
        }
        None
    }

    #[inline(always)]
    fn place_of(&self, slot: &Slot) -> usize {
        place(slot.hash(), self.places)
    }

    #[inline(always)]
    fn entry(&self, at: usize) -> Option<Entry> {
        let slot = self.list[at];
        match slot.packed.entry() {
            _ if slot.key == 0 => None,
            None => self.far_entry(!slot.key),
            entry => entry,
        }
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.used >= self.places - self.places / 5
    }

    /// Puts `slot` before what stands at `at`; `false` where there is no room for that.
    #[inline]
    fn put(&mut self, at: usize, slot: Slot) -> bool {
        let rest = self.list.get(at..).unwrap_or_default();
        let Some(free) = rest.iter().position(|slot| slot.key == 0) else {
            return false;
        };
        self.list.copy_within(at..at + free, at + 1);
        self.list[at] = slot;
        self.used += 1;
        true
    }

    /// Empties the slot at `at`, which may have another entry then.
    fn take(&mut self, at: usize) {
        self.forget_far(!self.list[at].key);
        let mut end = at + 1;
        while let Some(slot) = self.list.get(end)
            && slot.key != 0
            && self.place_of(slot) < end
        {
            end += 1;
        }
        self.list.copy_within(at + 1..end, at);
        self.list[end - 1] = Slot::default();
        self.used -= 1;
    }
}

/// Of so many places the one for `hash`: larger hashes never come before smaller ones.
#[inline(always)]
fn place(hash: u64, places: usize) -> usize {
    ((u128::from(hash << SHARD_BITS) * places as u128) >> 64) as usize
}

#[cfg(test)]
mod tests;
