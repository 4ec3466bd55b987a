//! The live table: which block starts where, and what became of those that ended.
//!
//! A block that ends keeps its entry until another block takes its memory, so that a second release or a late use can be named. The
//! number of such entries is bounded by [`ENDED_MOST`] and the number of live ones.

mod ahead;
pub mod starts;

use aclsan_log::{BlockId, SiteId};
use aclsan_rules::functions::FUNCTIONS;
use aclsan_rules::numbers::NumberHasher;
use aclsan_rules::{Block, End, Family, Place};
use ahead::Ahead;
use dashmap::DashMap;
use starts::Starts;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Ended blocks that are remembered at least; beyond it, a quarter as many as there are live ones. More of them would push the live ones
/// out of the processor's caches.
const ENDED: usize = 1 << 14;
/// Allocations between two looks at the table's size.
const LOOK_EVERY: u64 = 1 << 11;

/// What the table keeps of a block.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Number in the log.
    pub id: BlockId,
    /// Bytes that the program asked for.
    pub size: u64,
    /// Where it was allocated.
    pub site: SiteId,
    /// Where it ended, if it did.
    pub end: SiteId,
    /// Bytes of guard behind the rounded size.
    pub guard: u16,
    /// Bytes of pattern before that, in the runtime's own rounding. Both are 0 for a block that is not guarded.
    pub slack: u8,
    /// Index of its allocator in `FUNCTIONS`.
    pub function: u16,
    /// Its device, −1 when not known.
    pub device: i8,
    /// Live, or how it ended.
    pub state: State,
    /// When it ended, counted in purges.
    pub age: u8,
}

/// What a block is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It may be used.
    Live,
    /// It was released.
    Released,
    /// A reset dropped it.
    Reset,
    /// It was sent, and belongs to the framework.
    Sent,
}

impl Entry {
    /// In the words of the rules; `key` is what the table files it under.
    pub fn block(&self, key: u64) -> Block {
        let function = &FUNCTIONS[usize::from(self.function).min(FUNCTIONS.len() - 1)];
        let family = function.family().unwrap_or(Family::Device);
        Block {
            id: self.id,
            address: family.named(key),
            size: self.size,
            function,
            site: self.site,
            device: self.device.into(),
        }
    }

    /// Whether host code may touch the block.
    pub fn is_host(&self) -> bool {
        FUNCTIONS[usize::from(self.function).min(FUNCTIONS.len() - 1)]
            .family()
            .is_some_and(Family::is_host)
    }

    fn place(&self, address: u64, offset: u64) -> Place {
        let block = self.block(address);
        match self.state {
            State::Live => Place::Live(block, offset),
            State::Released => Place::Ended(block, offset, End::Released(self.end)),
            State::Reset => Place::Ended(block, offset, End::Reset(self.end)),
            State::Sent => Place::Ended(block, offset, End::Sent(self.end)),
        }
    }
}

/// All blocks of the process.
pub struct Live {
    table: DashMap<u64, Entry, BuildHasherDefault<NumberHasher>>,
    ahead: Ahead,
    starts: Starts,
    largest: AtomicU64,
    limit: AtomicUsize,
    age: AtomicU8,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            table: DashMap::with_hasher_and_shard_amount(
                BuildHasherDefault::default(),
                ahead::SHARDS,
            ),
            ahead: Ahead::default(),
            starts: Starts::default(),
            largest: AtomicU64::new(0),
            limit: AtomicUsize::new(2 * ENDED),
            age: AtomicU8::new(0),
        }
    }
}

impl Live {
    /// Adds a handle, by its key. It covers no addresses.
    pub fn insert_handle(&self, key: u64, entry: Entry) {
        self.table.insert(key, entry);
        self.count(&entry);
    }

    /// Adds a block that the runtime has just given out. Whatever was known of its memory ends here.
    #[inline]
    pub fn insert(&self, address: u64, entry: Entry) {
        if entry.size > self.largest.load(Relaxed) {
            self.largest.fetch_max(entry.size, Relaxed);
        }
        self.starts.within(
            address.saturating_add(1),
            address.saturating_add(entry.size),
            |inside| self.forget(inside),
        );
        self.table.insert(address, entry);
        self.starts.insert(address);
        self.count(&entry);
    }

    #[inline(always)]
    fn count(&self, entry: &Entry) {
        // Places count up within a segment, so this comes once every so many allocations, whoever makes them.
        if u64::from(entry.id.place()) % LOOK_EVERY == LOOK_EVERY - 1 {
            self.look();
        }
    }

    #[cold]
    fn look(&self) {
        self.purge();
        self.look_ahead();
    }

    /// Ends the block that starts at `address`, if one does and is live; returns it as it was.
    #[inline]
    pub fn release(&self, address: u64, site: SiteId) -> Option<Entry> {
        let mut entry = self.table.get_mut(&address)?;
        if entry.state != State::Live {
            return None;
        }
        let before = *entry;
        entry.state = State::Released;
        entry.end = site;
        entry.age = self.age.load(Relaxed);
        Some(before)
    }

    /// Makes the block at `address` live again: the runtime has refused to release it. Only if it is still the same block.
    pub fn restore(&self, address: u64, id: BlockId) {
        if let Some(mut entry) = self.table.get_mut(&address).filter(|entry| entry.id == id) {
            entry.state = State::Live;
        }
    }

    /// Changes what is known of a live block.
    pub fn update(&self, address: u64, change: impl FnOnce(&mut Entry)) {
        if let Some(mut entry) = self.table.get_mut(&address) {
            change(&mut entry);
        }
    }

    /// The block that starts at `address`.
    #[inline]
    pub fn get(&self, address: u64) -> Option<Entry> {
        self.table.get(&address).map(|entry| *entry)
    }

    /// What lies at `address`.
    pub fn place(&self, address: u64) -> Place {
        if let Some(entry) = self.get(address) {
            return entry.place(address, 0);
        }
        let lowest = address.saturating_sub(self.largest.load(Relaxed));
        let Some(start) = self.starts.last(address, lowest) else {
            return Place::Unknown;
        };
        match self.get(start) {
            Some(entry) if address - start < entry.size => entry.place(start, address - start),
            _ => Place::Unknown,
        }
    }

    /// The nearest live blocks before and behind `block`, no further away than `near` bytes.
    pub fn neighbours(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        let is_live = |start: u64| {
            let entry = self.get(start).filter(|entry| entry.state == State::Live);
            entry.map(|entry| entry.block(start))
        };
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let (mut before, mut behind) = (None, None);
        self.starts
            .within(start.saturating_sub(near), start, |start| {
                before = is_live(start).or(before);
            });
        self.starts.within(end, end.saturating_add(near), |start| {
            behind = behind.or_else(|| is_live(start));
        });
        (before, behind)
    }

    /// Ends all live blocks for which `is_dropped` holds, as a reset at `site` does.
    pub fn reset(&self, site: SiteId, is_dropped: impl Fn(&Block) -> bool) -> Vec<Block> {
        let mut dropped = Vec::new();
        let age = self.age.load(Relaxed);
        for mut entry in self.table.iter_mut() {
            let block = entry.block(*entry.key());
            if entry.state == State::Live && is_dropped(&block) {
                entry.state = State::Reset;
                entry.end = site;
                entry.age = age;
                dropped.push(block);
            }
        }
        dropped
    }

    /// Calls `each` with every live block, in no order. Must not call back into the table.
    pub fn for_each_live(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table
            .iter()
            .filter(|entry| entry.state == State::Live)
            .for_each(|entry| each(*entry.key(), &entry));
    }

    /// Calls `each` with every block that has ended and is still remembered. Must not call back into the table.
    pub fn for_each_ended(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table
            .iter()
            .filter(|entry| entry.state != State::Live)
            .for_each(|entry| each(*entry.key(), &entry));
    }

    /// A start of which nothing is known any more.
    pub fn forget(&self, address: u64) {
        self.table.remove(&address);
        self.starts.remove(address);
    }

    /// When there are too many ended blocks, forgets those that had ended before the last purge: each is remembered for one whole round.
    fn purge(&self) {
        if self.table.len() < self.limit.load(Relaxed) {
            return;
        }
        let now = self.age.fetch_add(1, Relaxed);
        let mut live = 0;
        self.table.retain(|&address, entry| {
            live += usize::from(entry.state == State::Live);
            let keep = entry.state == State::Live || entry.age == now;
            if !keep {
                self.starts.remove(address);
            }
            keep
        });
        self.limit
            .store(self.table.len() + ENDED + live / 8, Relaxed);
    }

    /// Starts bringing what [`Live::insert`] of `address` will touch into the processor's caches.
    #[inline(always)]
    pub fn prefetch(&self, address: u64) {
        self.prefetch_entry(address);
        self.starts.prefetch(address);
    }

    /// The same for [`Live::release`].
    #[inline(always)]
    pub fn prefetch_entry(&self, address: u64) {
        let hash = self.table.hash_usize(&address);
        self.ahead.prefetch(self.table.determine_shard(hash), hash);
    }

    /// Looks where the table's buckets lie now.
    fn look_ahead(&self) {
        for (number, shard) in self.table.shards().iter().enumerate() {
            let shard = shard.read();
            if shard.is_empty() {
                continue; // An empty table has no buckets to point at.
            }
            // SAFETY: a table that holds something has a bucket 0; the pointer is only kept.
            let first = unsafe { shard.bucket(0) }.as_ptr();
            self.ahead.saw(number, first, shard.buckets());
        }
    }
}

/// A hint to the processor; any address is fine.
#[inline(always)]
pub fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast())
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags))
    };
}
