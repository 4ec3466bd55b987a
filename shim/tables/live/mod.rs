//! The live table: which block starts where, and what became of freed blocks.
//!
//! A freed block keeps its entry until another block takes its memory, so that a double free or a use after free can
//! name it. The number of such entries is bounded by [`MAX_FREED`] and the number of live blocks.
//!
//! Why not `dashmap`: no hash map can answer which block contains an address, which takes a predecessor search
//! ([`start_index`]). A dashmap shard grows by allocating a new table and moving its entries under its lock, in the program's
//! `malloc`, possibly under a signal handler, and aborts without memory; ours grows in place with `mremap` and reports
//! failure. Its locks are `parking_lot`'s, which park threads in global tables that a fork leaves as they were. An
//! entry takes 24 bytes here and 47 to 94 there (key, 32 bytes of entry, control byte, load factor). And the position
//! of an entry is known before its shard is locked, so it is fetched while the stack is walked: of the 730 ns of an
//! allocation and its release, the table takes about 85.

mod entry;
mod filter;
mod hash_table;
pub mod start_index;

use aclsan_log::CallSiteId;
use aclsan_rules::api::block::{AddressInfo, Block};
pub use entry::{Entry, State};
use filter::Filter;
use hash_table::HashTable;
use start_index::StartIndex;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Blocks that may be freed between two evictions, plus an eighth of the live ones. At most those of two such spans are
/// kept: more would push live entries out of the processor's caches.
const MAX_FREED: usize = 1 << 13;
/// Allocations between two checks of the table's size.
const LOOK_EVERY: u64 = 1 << 11;

/// All blocks of the process.
pub struct Live {
    table: HashTable,
    starts: StartIndex,
    largest: AtomicU64,
    limit: AtomicUsize,
    /// The last bit of the count of evictions.
    generation: AtomicU8,
    /// Where blocks start, if only a sample of them is here: see [`Live::sampled`].
    filter: Option<Filter>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            table: HashTable::default(),
            starts: StartIndex::default(),
            largest: AtomicU64::new(0),
            limit: AtomicUsize::new(2 * MAX_FREED),
            generation: AtomicU8::new(0),
            filter: None,
        }
    }
}

impl Live {
    /// A table of a sample of the blocks. The memory of a freed one may belong to a block that is not here, so nobody hears of it but who
    /// releases it again: until then, [`Live::drop_reused`] is called for what starts at the same address.
    pub fn sampled() -> Self {
        Self {
            filter: Some(Filter::default()),
            ..Self::default()
        }
    }

    /// Adds a handle under its key. It covers no addresses.
    pub fn insert_handle(&self, key: u64, entry: &Entry) {
        self.insert_key(key, entry);
        self.count(entry);
    }

    #[inline(always)]
    fn insert_key(&self, key: u64, entry: &Entry) {
        let is_new = self.table.insert(key, entry);
        if let Some(filter) = &self.filter
            && is_new
        {
            filter.add(key);
        }
    }

    /// Adds a block that the runtime has just returned. Whatever was known about its memory is dropped.
    #[inline(always)]
    pub fn insert(&self, address: u64, entry: &Entry) {
        if entry.size > self.largest.load(Relaxed) {
            self.largest.fetch_max(entry.size, Relaxed);
        }
        self.insert_key(address, entry);
        // The index goes last: its cache lines were prefetched later and are further away.
        self.starts
            .insert(address, entry.size, |inside| self.forget(inside));
        self.count(entry);
    }

    #[inline(always)]
    fn count(&self, entry: &Entry) {
        // Numbers are consecutive within a segment, so this happens once in that many allocations, whichever thread makes
        // them.
        if u64::from(entry.id.place()) % LOOK_EVERY == LOOK_EVERY - 1 {
            self.evict_freed();
        }
    }

    /// Marks the live block that starts at `address` as freed. Returns it as it was.
    #[inline(always)]
    pub fn release(&self, address: u64, site: CallSiteId) -> Option<Entry> {
        self.table.release(address, site, self.generation())
    }

    /// Undoes a release that the runtime refused: makes the block at `address` what it was before, `then`, if it is
    /// still the same block.
    pub fn restore(&self, address: u64, then: &Entry) {
        self.table.change(address, |entry| {
            if entry.id == then.id {
                *entry = *then;
            }
        });
    }

    /// Modifies the entry of a live block.
    pub fn update(&self, address: u64, change: impl FnOnce(&mut Entry)) {
        self.table.change(address, change);
    }

    /// The block that starts at `address`.
    #[inline]
    pub fn get(&self, address: u64) -> Option<Entry> {
        self.table.get(address)
    }

    /// The live block that starts at `start`.
    #[inline]
    pub fn block_at(&self, start: u64) -> Option<Block> {
        let entry = self.get(start)?;
        (entry.state == State::Live).then(|| entry.block(start))
    }

    /// Looks up `address`.
    pub fn place(&self, address: u64) -> AddressInfo {
        match self.find_place(address) {
            AddressInfo::Ended(..) if self.filter.is_some() => AddressInfo::Unknown,
            place => place,
        }
    }

    /// Looks up an address that is released: as [`Live::place`], but a sample knows freed blocks, too, by where they start.
    pub fn place_of_release(&self, address: u64) -> AddressInfo {
        match &self.filter {
            None => self.find_place(address),
            Some(_) => {
                let entry = self.get(address);
                entry.map_or(AddressInfo::Unknown, |entry| entry.place(address, 0))
            }
        }
    }

    /// Whether a block that starts at `address`, live or freed, may be here; `true` unless this is a sample.
    #[inline(always)]
    pub fn may_have(&self, address: u64) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| filter.may_have(address))
    }

    /// A block that is not recorded starts at `address`: drops a freed one. `false` if there is a live one, whose release was not seen.
    #[cold]
    #[inline(never)]
    pub fn drop_reused(&self, address: u64) -> bool {
        let entry = self.get(address);
        let is_live = entry.is_some_and(|entry| entry.state == State::Live);
        if !is_live {
            self.forget(address);
        }
        !is_live
    }

    fn find_place(&self, address: u64) -> AddressInfo {
        if let Some(entry) = self.get(address) {
            return entry.place(address, 0);
        }
        let lowest = address.saturating_sub(self.largest.load(Relaxed));
        let Some(start) = self.starts.predecessor(address, lowest) else {
            return AddressInfo::Unknown;
        };
        match self.get(start) {
            Some(entry) if address - start < entry.size => entry.place(start, address - start),
            _ => AddressInfo::Unknown,
        }
    }

    /// The nearest live blocks before and after `block`, at most `near` bytes away.
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

    /// Ends all live blocks for which `is_dropped` holds, as a reset at `site` does.
    pub fn reset(&self, site: CallSiteId, is_dropped: impl Fn(&Block) -> bool) -> Vec<Block> {
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
        // The table's order is arbitrary; a report needs a stable one.
        dropped.sort_unstable_by_key(|block| (block.id, block.address));
        dropped
    }

    /// Calls `each` with every live block, in no particular order. `each` must not call back into the table.
    pub fn for_each_live(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table.for_each(|key, entry| {
            if entry.state == State::Live {
                each(key, entry);
            }
        });
    }

    /// Calls `each` with every freed block that is still remembered. `each` must not call back into the table.
    pub fn for_each_ended(&self, mut each: impl FnMut(u64, &Entry)) {
        self.table.for_each(|key, entry| {
            if entry.state != State::Live {
                each(key, entry);
            }
        });
    }

    /// Drops every freed block.
    #[cold]
    pub fn forget_ended(&self) {
        let live = self.table.retain(|address, _| {
            self.remove_start(address);
            false
        });
        self.limit.store(live + MAX_FREED + live / 8, Relaxed);
    }

    /// Start and end addresses of the memory outside the heap that describes blocks.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.table.ranges()
    }

    /// Drops everything known about the block that starts at `address`. Never inlined: hooks call it where they hardly ever come.
    #[cold]
    #[inline(never)]
    pub fn forget(&self, address: u64) {
        match self.table.remove(address) {
            true => self.remove_start(address),
            false => self.starts.remove(address),
        }
    }

    /// The table has dropped an entry.
    fn remove_start(&self, address: u64) {
        self.starts.remove(address);
        if let Some(filter) = &self.filter {
            filter.remove(address);
        }
    }

    #[inline(always)]
    fn generation(&self) -> u8 {
        self.generation.load(Relaxed) & 1
    }

    /// If there are too many freed blocks, drops those freed before the last eviction, so each is remembered for one
    /// whole generation.
    #[cold]
    fn evict_freed(&self) {
        if self.table.len() < self.limit.load(Relaxed) {
            return;
        }
        let now = self.generation.fetch_add(1, Relaxed) & 1;
        let live = self.table.retain(|address, entry| {
            let keep = entry.age == now;
            if !keep {
                self.remove_start(address);
            }
            keep
        });
        self.limit
            .store(self.table.len() + MAX_FREED + live / 8, Relaxed);
    }

    /// Prefetches what [`Live::insert`] of `address` will access.
    #[inline(always)]
    pub fn prefetch(&self, address: u64) {
        self.prefetch_entry(address);
        self.starts.prefetch(address);
    }

    /// Prefetches what [`Live::release`] will access.
    #[inline(always)]
    pub fn prefetch_entry(&self, address: u64) {
        self.table.prefetch(address);
    }
}
