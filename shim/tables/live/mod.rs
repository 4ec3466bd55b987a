//! The live table: which block starts where, and what became of those that ended.
//!
//! A block that ends keeps its entry until another block takes its memory, so that a second release or a late use can be named. The
//! number of such entries is bounded by [`MAX_FREED`] and the number of live ones.

mod entry;
mod hash_table;
pub mod start_index;

use aclsan_log::SiteId;
use aclsan_rules::{Block, Place};
pub use entry::{Entry, State};
use hash_table::HashTable;
use start_index::StartIndex;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Blocks that end between two purges, with an eighth of the live ones; those that ended in two such spans are remembered at most. More of
/// them would push the live ones out of the processor's caches.
const MAX_FREED: usize = 1 << 13;
/// Allocations between two looks at the table's size.
const LOOK_EVERY: u64 = 1 << 11;

/// All blocks of the process.
pub struct Live {
    table: HashTable,
    starts: StartIndex,
    largest: AtomicU64,
    limit: AtomicUsize,
    /// The last bit counts purges.
    generation: AtomicU8,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            table: HashTable::default(),
            starts: StartIndex::default(),
            largest: AtomicU64::new(0),
            limit: AtomicUsize::new(2 * MAX_FREED),
            generation: AtomicU8::new(0),
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
        self.table.insert(address, entry);
        // What these touch was asked for later, and is further away.
        self.starts
            .insert(address, entry.size, |inside| self.forget(inside));
        self.count(&entry);
    }

    #[inline(always)]
    fn count(&self, entry: &Entry) {
        // Places count up within a segment, so this comes once every so many allocations, whoever makes them.
        if u64::from(entry.id.place()) % LOOK_EVERY == LOOK_EVERY - 1 {
            self.evict_freed();
        }
    }

    /// Ends the block that starts at `address`, if one does and is live; returns it as it was.
    #[inline]
    pub fn release(&self, address: u64, site: SiteId) -> Option<Entry> {
        self.table.release(address, site, self.generation())
    }

    /// Makes the block at `address` what it was before its end, `then`: the runtime has refused to release it. Only if it is still the same one.
    pub fn restore(&self, address: u64, then: &Entry) {
        self.table.change(address, |entry| {
            if entry.id == then.id {
                *entry = *then;
            }
        });
    }

    /// Changes what is known of a live block.
    pub fn update(&self, address: u64, change: impl FnOnce(&mut Entry)) {
        self.table.change(address, change);
    }

    /// The block that starts at `address`.
    #[inline]
    pub fn get(&self, address: u64) -> Option<Entry> {
        self.table.get(address)
    }

    /// What lies at `address`.
    pub fn place(&self, address: u64) -> Place {
        if let Some(entry) = self.get(address) {
            return entry.place(address, 0);
        }
        let lowest = address.saturating_sub(self.largest.load(Relaxed));
        let Some(start) = self.starts.predecessor(address, lowest) else {
            return Place::Unknown;
        };
        match self.get(start) {
            Some(entry) if address - start < entry.size => entry.place(start, address - start),
            _ => Place::Unknown,
        }
    }

    /// The nearest live blocks before and behind `block`, no further away than `near` bytes.
    pub fn neighbors(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        let is_live = |start: u64| {
            let entry = self.get(start).filter(|entry| entry.state == State::Live);
            entry.map(|entry| entry.block(start))
        };
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let (mut before, mut behind) = (None, None);
        self.starts
            .range(start.saturating_sub(near), start, |start| {
                before = is_live(start).or(before);
            });
        self.starts.range(end, end.saturating_add(near), |start| {
            behind = behind.or_else(|| is_live(start));
        });
        (before, behind)
    }

    // Old name, until its last use is gone.
    #[doc(hidden)]
    pub fn neighbours(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        self.neighbors(block, near)
    }

    /// Ends all live blocks for which `is_dropped` holds, as a reset at `site` does.
    pub fn reset(&self, site: SiteId, is_dropped: impl Fn(&Block) -> bool) -> Vec<Block> {
        let mut dropped = Vec::new();
        let generation = self.generation();
        self.table.for_each_mut(|key, entry| {
            let block = entry.block(key);
            if entry.state == State::Live && is_dropped(&block) {
                entry.state = State::Reset;
                entry.end = site;
                entry.age = generation;
                dropped.push(block);
            }
        });
        // The table has no order that a report could follow.
        dropped.sort_unstable_by_key(|block| (block.id, block.address));
        dropped
    }

    /// Calls `each` with every live block, in no order. Must not call back into the table.
    pub fn for_each_live(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table.for_each(|key, entry| {
            if entry.state == State::Live {
                each(key, entry);
            }
        });
    }

    /// Calls `each` with every block that has ended and is still remembered. Must not call back into the table.
    pub fn for_each_ended(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table.for_each(|key, entry| {
            if entry.state != State::Live {
                each(key, entry);
            }
        });
    }

    /// Where what is known of blocks lies, apart from the heap: first addresses and those behind.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.table.ranges()
    }

    /// A start of which nothing is known any more.
    pub fn forget(&self, address: u64) {
        self.table.remove(address);
        self.starts.remove(address);
    }

    #[inline(always)]
    fn generation(&self) -> u8 {
        self.generation.load(Relaxed) & 1
    }

    /// When there are too many ended blocks, forgets those that had ended before the last purge: each is remembered for one whole round.
    #[cold]
    fn evict_freed(&self) {
        if self.table.len() < self.limit.load(Relaxed) {
            return;
        }
        let now = self.generation.fetch_add(1, Relaxed) & 1;
        let live = self.table.retain(|address, entry| {
            let keep = entry.age == now;
            if !keep {
                self.starts.remove(address);
            }
            keep
        });
        self.limit
            .store(self.table.len() + MAX_FREED + live / 8, Relaxed);
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
        self.table.prefetch(address);
    }
}
