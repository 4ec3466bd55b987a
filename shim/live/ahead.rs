//! Where the live table's buckets lie, as last seen: enough to prefetch one without the table's lock, which waits for all loads before it.
//!
//! What is told here may be old. A prefetch of an address that is nobody's any more does nothing.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Shards of the table.
pub const SHARDS: usize = 128;

/// Of each shard.
pub struct Ahead([Shard; SHARDS]);

#[derive(Default)]
struct Shard {
    /// Address of bucket 0, behind which lie the control bytes and before which lie the others; 0 if none was seen.
    first: AtomicUsize,
    /// One less than there are.
    mask: AtomicUsize,
    /// Bytes of one.
    bytes: AtomicUsize,
}

impl Default for Ahead {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Shard::default()))
    }
}

impl Ahead {
    /// The buckets of a shard were seen.
    pub fn saw<T>(&self, shard: usize, first: *const T, buckets: usize) {
        let seen = &self.0[shard % SHARDS];
        seen.first.store(first.addr(), Relaxed);
        seen.mask.store(buckets - 1, Relaxed);
        seen.bytes.store(size_of::<T>(), Relaxed);
    }

    /// Prefetches what a look-up with `hash` begins with.
    #[inline(always)]
    pub fn prefetch(&self, shard: usize, hash: usize) {
        let seen = &self.0[shard % SHARDS];
        let (first, bytes) = (seen.first.load(Relaxed), seen.bytes.load(Relaxed));
        let index = hash & seen.mask.load(Relaxed);
        let bucket = first.wrapping_sub(index.wrapping_mul(bytes));
        let control = first.wrapping_add(bytes).wrapping_add(index);
        for address in [control, bucket, bucket.wrapping_add(bytes).wrapping_sub(1)] {
            super::prefetch(std::ptr::without_provenance(address));
        }
    }
}
