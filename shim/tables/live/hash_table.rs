//! The hash table of the live table. It is dense, and an entry's position is known before any of it is read, so that it
//! can be prefetched.
//!
//! Open addressing with ordered linear probing, in shards with a lock each. Entries are ordered by hash, each at its
//! ideal position or as close after it as there is room; removal leaves no tombstone. A shard grows by a fifth, and no
//! two shards grow at the same time, so about a quarter of all slots is free at any time.

mod alloc_kinds;
mod mapped_vec;
mod overflow;
mod resize;
mod slot;

use super::entry::{Entry, State};
use crate::spin_lock::{SpinGuard, SpinLock};
use aclsan_log::CallSiteId;
use aclsan_os::lock::rank;
use aclsan_os::prefetch::prefetch;
use aclsan_os::status;
use alloc_kinds::AllocKindTable;
use mapped_vec::MappedVec;
use slot::Slot;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const SHARD_BITS: u32 = 7;
const SHARDS: usize = 1 << SHARD_BITS;
/// Initial positions of a shard.
const FIRST: usize = 64;
/// Slots after the last position, for displaced entries.
const TAIL: usize = 32;
/// Maximum positions per entry. Hashes that nobody crafted need two.
const SPARSEST: usize = 64;

/// The entries of one shard.
struct ShardSlots {
    list: MappedVec,
    /// Hashes are spread over this many positions of `list`.
    positions: usize,
    used: u32,
    /// The shard's number: the first bits of its hashes.
    shard: u8,
    /// Entries that do not fit in a slot, by the rest of their hash; `None` if there are none.
    #[expect(
        clippy::box_collection,
        reason = "with 24 bytes, a shard would not fit in a cache line"
    )]
    overflow: Option<Box<BTreeMap<u64, Entry>>>,
}

/// One cache line: each operation needs all of it.
#[repr(align(64))]
struct Shard {
    slots: SpinLock<rank::LiveShard, ShardSlots>,
    /// Address of `list` and its number of positions, for prefetching without the lock. May be stale; prefetching freed
    /// memory does nothing.
    first: AtomicUsize,
    positions: AtomicUsize,
}

const _: () = assert!(size_of::<Shard>() == 64 && SHARDS <= 1 << u8::BITS);

/// All entries.
pub struct HashTable {
    shards: Box<[Shard; SHARDS]>,
    kinds: AllocKindTable,
}

impl Default for HashTable {
    fn default() -> Self {
        let slots = |shard| ShardSlots {
            list: MappedVec::default(),
            positions: 0,
            used: 0,
            shard,
            overflow: None,
        };
        let shard = |number: usize| Shard {
            slots: SpinLock::new(slots(number as u8)),
            first: AtomicUsize::new(0),
            positions: AtomicUsize::new(0),
        };
        Self {
            shards: Box::new(std::array::from_fn(shard)),
            kinds: AllocKindTable::default(),
        }
    }
}

impl HashTable {
    /// Inserts or replaces the entry of `key`; `true` if there was none. If memory runs out the entry is not kept and recording stops.
    #[inline(always)]
    pub fn insert(&self, key: u64, entry: &Entry) -> bool {
        let (shard, rest) = self.shard(key);
        let mut slots = shard.lock();
        let slot = slots.slot(rest, entry, &self.kinds);
        let mut at = match slots.find(rest) {
            Ok(at) => {
                slots.list[at] = slot;
                return false;
            }
            Err(at) => at,
        };
        if slots.is_full() {
            slots.grow();
            shard.saw(&slots);
            at = slots.find(rest).unwrap_or_else(|at| at);
        }
        while !slots.put(at, slot) {
            if !slots.grow() {
                // An unknown block must not look like a mistake of the program when it is freed.
                status::report_out_of_memory();
                return false;
            }
            shard.saw(&slots);
            at = slots.find(rest).unwrap_or_else(|at| at);
        }
        true
    }

    /// The entry of `key`.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let (shard, rest) = self.shard(key);
        let slots = shard.lock();
        let at = slots.find(rest).ok()?;
        slots.entry(at, &self.kinds)
    }

    /// Modifies the entry of `key`.
    pub fn change(&self, key: u64, change: impl FnOnce(&mut Entry)) {
        let (shard, rest) = self.shard(key);
        let mut slots = shard.lock();
        if let Ok(at) = slots.find(rest)
            && let Some(mut entry) = slots.entry(at, &self.kinds)
        {
            change(&mut entry);
            slots.set(at, &entry, &self.kinds);
        }
    }

    /// Marks the block of `key` as freed if it is live. Returns the entry as it was.
    // `always`, as for its callers: as a result in memory, the entry would be read in halves right after it was written in words, which waits for the
    // stores.
    #[inline(always)]
    pub fn release(&self, key: u64, site: CallSiteId, age: u8) -> Option<Entry> {
        let (shard, rest) = self.shard(key);
        let mut slots = shard.lock();
        let at = slots.find(rest).ok()?;
        let slot = &mut slots.list[at];
        if slot.is_live() {
            let before = slot.entry(&self.kinds);
            if slot.release(site, age) {
                return before;
            }
        }
        slots
            .release_overflow(at, site, age, &self.kinds)
            .map(|entry| *entry)
    }

    /// Removes the entry of `key`; `true` if there was one.
    pub fn remove(&self, key: u64) -> bool {
        let (shard, rest) = self.shard(key);
        let mut slots = shard.lock();
        let found = slots.find(rest);
        if let Ok(at) = found {
            slots.take(at);
        }
        found.is_ok()
    }

    /// Keeps the entries of live blocks and those others that `keep` wants. Returns the number of live blocks.
    pub fn retain(&self, mut keep: impl FnMut(u64, &Entry) -> bool) -> usize {
        let mut live = 0;
        for shard in self.shards.iter() {
            let mut slots = shard.lock();
            let mut at = 0;
            while let Some(slot) = slots.list.get(at) {
                let is_live = slot.is_live();
                live += usize::from(is_live);
                if is_live || slot.is_empty() {
                    at += 1;
                    continue;
                }
                match slots.entry(at, &self.kinds) {
                    Some(entry) if entry.state == State::Live => (live, at) = (live + 1, at + 1),
                    Some(entry) if !keep(slots.key(at), &entry) => slots.take(at),
                    _ => at += 1,
                }
            }
            slots.shrink();
            shard.saw(&slots);
        }
        live
    }

    /// Calls `each` with every entry, in no particular order.
    pub fn for_each(&self, mut each: impl FnMut(u64, &Entry)) {
        for shard in self.shards.iter() {
            let slots = shard.lock();
            for at in 0..slots.list.len() {
                if let Some(entry) = slots.entry(at, &self.kinds) {
                    each(slots.key(at), &entry);
                }
            }
        }
    }

    /// Like [`HashTable::for_each`], and stores what `each` changes.
    pub fn for_each_mut(&self, mut each: impl FnMut(u64, &mut Entry)) {
        for shard in self.shards.iter() {
            let mut slots = shard.lock();
            for at in 0..slots.list.len() {
                if let Some(mut entry) = slots.entry(at, &self.kinds) {
                    each(slots.key(at), &mut entry);
                    slots.set(at, &entry, &self.kinds);
                }
            }
        }
    }

    /// Start and end addresses of the memory that holds the entries.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let lists = self.shards.iter().map(|shard| shard.lock().list.range());
        lists.collect()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().used()).sum()
    }

    /// Prefetches the entry of `key`.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        let (shard, rest) = self.shard(key);
        let position = position(rest, shard.positions.load(Relaxed));
        let first = shard.first.load(Relaxed) + position * size_of::<Slot>();
        for address in [first, first + 64] {
            prefetch(std::ptr::without_provenance(address));
        }
    }

    /// The shard of `key`, and the rest of its hash.
    #[inline(always)]
    fn shard(&self, key: u64) -> (&Shard, u64) {
        let hash = hash(key);
        let shard = &self.shards[(hash >> (64 - SHARD_BITS)) as usize];
        (shard, hash << SHARD_BITS)
    }
}

impl Shard {
    #[inline(always)]
    fn lock(&self) -> SpinGuard<'_, rank::LiveShard, ShardSlots> {
        self.slots.lock()
    }

    fn saw(&self, slots: &ShardSlots) {
        self.first.store(slots.list.as_ptr().addr(), Relaxed);
        self.positions.store(slots.positions, Relaxed);
    }
}

impl ShardSlots {
    /// The position of the key with this rest of a hash, or where it would be inserted.
    #[inline(always)]
    fn find(&self, rest: u64) -> Result<usize, usize> {
        let mut at = position(rest, self.positions);
        while let Some(slot) = self.list.get(at) {
            if slot.is_before(rest) {
                at += 1;
                continue;
            }
            return if slot.is_of(rest) { Ok(at) } else { Err(at) };
        }
        Err(at)
    }

    #[inline(always)]
    fn entry(&self, at: usize, kinds: &AllocKindTable) -> Option<Entry> {
        let slot = &self.list[at];
        match slot.is_overflow() {
            false => slot.entry(kinds),
            true => self.overflow_entry(slot.rest()).map(|entry| *entry),
        }
    }

    #[inline(always)]
    fn used(&self) -> usize {
        self.used as usize
    }

    fn key(&self, at: usize) -> u64 {
        key(u64::from(self.shard) << (64 - SHARD_BITS) | self.list[at].rest() >> SHARD_BITS)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.used() >= self.positions - self.positions / 5
    }

    /// Inserts `slot` at `at` and moves what follows; `false` if there is no room.
    #[inline]
    fn put(&mut self, at: usize, slot: Slot) -> bool {
        let rest = self.list.get(at..).unwrap_or_default();
        let Some(free) = rest.iter().position(Slot::is_empty) else {
            return false;
        };
        self.list.copy_within(at..at + free, at + 1);
        self.list[at] = slot;
        self.used += 1;
        true
    }

    /// Removes the entry at `at`, where another entry may move in.
    fn take(&mut self, at: usize) {
        self.forget_overflow(self.list[at].rest());
        let mut end = at + 1;
        while let Some(slot) = self.list.get(end)
            && !slot.is_empty()
            && position(slot.rest(), self.positions) < end
        {
            end += 1;
        }
        self.list.copy_within(at + 1..end, at);
        self.list[end - 1] = Slot::default();
        self.used -= 1;
    }
}

/// 2^64 / golden ratio, odd: Knuth, TAOCP 3 §6.4.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Its inverse modulo 2^64.
const BACK: u64 = 0xf1de_83e1_9937_733d;
const _: () = assert!(FACTOR.wrapping_mul(BACK) == 1);

/// A bijection whose first bits depend on all bits of the key.
#[inline(always)]
fn hash(key: u64) -> u64 {
    (key ^ key >> 32).wrapping_mul(FACTOR)
}

/// Inverts [`hash`].
fn key(hash: u64) -> u64 {
    let folded = hash.wrapping_mul(BACK);
    folded ^ folded >> 32
}

/// The position for the rest of a hash among `positions`. Monotonic: a larger rest never comes first.
#[inline(always)]
fn position(rest: u64, positions: usize) -> usize {
    ((u128::from(rest) * positions as u128) >> 64) as usize
}

#[cfg(test)]
mod tests;
