//! The store of quarantined blocks (`quarantine_mb`): released by the program, not yet by the runtime.

use aclsan_os::lock::{Mutex, rank};
use aclsan_rules::api::functions::Call;
use aclsan_tables::live::Entry;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A quarantined block, and the release that the program made.
#[derive(Clone, Copy)]
pub struct Quarantined {
    /// Its start.
    pub address: u64,
    /// Its entry while it was live.
    pub entry: Entry,
    /// The program's release.
    pub call: Call,
}

impl Quarantined {
    /// Whether a thread on `device` can copy from it.
    pub fn is_reachable_from(&self, device: Option<i32>) -> bool {
        self.entry.is_host() || device == Some(self.entry.device.into())
    }
}

/// The process's quarantined blocks. The lock is never held while the runtime works.
#[derive(Default)]
pub struct Quarantine {
    count: AtomicUsize,
    held: Mutex<rank::Quarantine, Store>,
}

/// Blocks in order of arrival, and an index from start address to that order.
#[derive(Default)]
struct Store {
    blocks: BTreeMap<u64, Quarantined>,
    starts: BTreeMap<u64, u64>,
    bytes: u64,
    next: u64,
}

impl Store {
    fn put(&mut self, block: Quarantined) {
        self.starts.insert(block.address, self.next);
        self.blocks.insert(self.next, block);
        self.next += 1;
        self.bytes += block.entry.size;
    }

    fn take(&mut self, order: u64) -> Option<Quarantined> {
        let block = self.blocks.remove(&order)?;
        self.starts.remove(&block.address);
        self.bytes -= block.entry.size;
        Some(block)
    }

    /// The block that contains `address`.
    fn containing(&self, address: u64) -> Option<u64> {
        let (&start, &order) = self.starts.range(..=address).next_back()?;
        let block = self.blocks.get(&order)?;
        (address - start < block.entry.size).then_some(order)
    }

    /// The oldest block for which `is_wanted` holds.
    fn oldest(&self, is_wanted: impl Fn(&Quarantined) -> bool) -> Option<u64> {
        let wanted = self.blocks.iter().find(|(_, block)| is_wanted(block));
        wanted.map(|(&order, _)| order)
    }
}

impl Quarantine {
    fn change<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.held.lock();
        let done = work(&mut store);
        self.count.store(store.blocks.len(), Relaxed);
        done
    }

    /// Whether it has no block.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Adds a block.
    pub fn put(&self, block: Quarantined) {
        self.change(|store| store.put(block));
    }

    /// Removes the oldest block that a thread on `device` can reach, if the quarantine exceeds `limit` bytes.
    pub fn pop_over_limit(&self, limit: u64, device: Option<i32>) -> Option<Quarantined> {
        self.change(|store| {
            let is_over = store.bytes > limit;
            let oldest = is_over.then(|| store.oldest(|block| block.is_reachable_from(device)))?;
            store.take(oldest?)
        })
    }

    /// Removes the block that contains `address`.
    pub fn pop_containing(&self, address: u64) -> Option<Quarantined> {
        self.change(|store| {
            let order = store.containing(address)?;
            store.take(order)
        })
    }

    /// Removes the oldest block for which `is_wanted` holds.
    pub fn pop_oldest(&self, is_wanted: impl Fn(&Quarantined) -> bool) -> Option<Quarantined> {
        self.change(|store| {
            let order = store.oldest(is_wanted)?;
            store.take(order)
        })
    }
}
