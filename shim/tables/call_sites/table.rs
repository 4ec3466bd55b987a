//! The table of hashes: open addressing, read without a lock.
//!
//! A slot is one word, so that eight of them share a cache line, and a reader sees all of a site or nothing: its number, and the upper bits of its hash.
//! The lower ones choose where a search begins.

use crate::sync::FIRST_SLOTS;
use crate::sync::atomic::{AtomicU64, Ordering};
use aclsan_log::CallSiteId;

/// Bits of a slot that hold the site's number instead of the hash's lower bits.
const NUMBER_BITS: u32 = 23;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
/// The largest number of a site.
pub const MAX_NUMBER: u32 = NUMBER as u32;

/// Numbers of sites by their hashes.
pub struct Table {
    /// 0 for none.
    slots: Box<[AtomicU64]>,
}

impl Table {
    /// The first table of an interner.
    pub fn first() -> *mut Self {
        let slots = (0..FIRST_SLOTS).map(|_| AtomicU64::new(0)).collect();
        Box::into_raw(Box::new(Self { slots }))
    }

    /// Returns null if there is not enough memory.
    pub fn new(slots: usize) -> *mut Self {
        let mut list = Vec::new();
        if list.try_reserve_exact(slots).is_err() {
            return std::ptr::null_mut();
        }
        list.extend((0..slots).map(|_| AtomicU64::new(0)));
        let slots = list.into_boxed_slice();
        Box::into_raw(Box::new(Self { slots }))
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The number of the site with this hash, or the free slot where the search ended.
    #[inline(always)]
    pub fn find(&self, hash: u64) -> Result<CallSiteId, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            // Acquire: whoever sees a number also sees what its site's writer wrote before.
            let slot = self.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ hash) >> NUMBER_BITS == 0 {
                return Ok(CallSiteId((slot & NUMBER) as u32));
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a site, whose number is not 0. Only one thread at a time may call this.
    pub fn put(&self, hash: u64, id: CallSiteId) {
        if let Err(at) = self.find(hash) {
            let slot = hash & !NUMBER | u64::from(id.0);
            self.slots[at].store(slot, Ordering::Release);
        }
    }
}
