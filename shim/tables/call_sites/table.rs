//! The table of hashes: open addressing, read without a lock.

use crate::sync::FIRST_SLOTS;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use aclsan_log::SiteId;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    id: AtomicU32,
}

/// Numbers of sites by their hashes.
pub struct Table {
    slots: Box<[Slot]>,
}

impl Table {
    /// The first table of an interner.
    pub fn first() -> *mut Self {
        let slots = (0..FIRST_SLOTS).map(|_| Slot::default()).collect();
        Box::into_raw(Box::new(Self { slots }))
    }

    /// Returns null if there is not enough memory.
    pub fn new(slots: usize) -> *mut Self {
        let mut list = Vec::new();
        if list.try_reserve_exact(slots).is_err() {
            return std::ptr::null_mut();
        }
        list.extend((0..slots).map(|_| Slot::default()));
        let slots = list.into_boxed_slice();
        Box::into_raw(Box::new(Self { slots }))
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The number of the site with this hash, or the free slot where the search ended.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Result<SiteId, usize> {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            match self.slots[at].key.load(Ordering::Acquire) {
                0 => return Err(at),
                found if found == key => {
                    return Ok(SiteId(self.slots[at].id.load(Ordering::Relaxed)));
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds a site. Only one thread at a time may call this; readers see the number before the hash.
    pub fn put(&self, key: u64, id: SiteId) {
        if let Err(at) = self.find(key) {
            self.slots[at].id.store(id.0, Ordering::Relaxed);
            self.slots[at].key.store(key, Ordering::Release);
        }
    }

    /// Adds every site of `old`, while nobody else knows this table.
    pub fn add_all(&self, old: &Self) {
        for slot in &old.slots {
            let key = slot.key.load(Ordering::Relaxed);
            if key != 0 {
                self.put(key, SiteId(slot.id.load(Ordering::Relaxed)));
            }
        }
    }
}
