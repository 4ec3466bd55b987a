//! Whether a block of the table may start at an address: read without a lock, in one counter of an array that the caches hold.

use crate::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bytes of the array, of two counters each. Small enough that a program whose own data fills the second-level cache does not evict it. With
/// half as many keys in the table as there are bytes, a fifth of the counters is not 0, and the table answers instead.
const BYTES: usize = if cfg!(loom) { 1 } else { 1 << 14 };
/// A counter that has been here stays: how many keys it counts is not known any more.
const MAX: u8 = 15;

/// Counts the keys of the table by some bits of their hashes.
pub struct Filter(Box<[AtomicU8]>);

impl Default for Filter {
    fn default() -> Self {
        Self((0..BYTES).map(|_| AtomicU8::new(0)).collect())
    }
}

impl Filter {
    /// A key is in the table.
    pub fn add(&self, key: u64) {
        let (byte, shift) = self.of(key);
        let more = |counters: u8| (counters >> shift & MAX != MAX).then(|| counters + (1 << shift));
        // Fails for a counter that is not known any more.
        let _ = byte.fetch_update(Relaxed, Relaxed, more);
    }

    /// A key is in it no more.
    pub fn remove(&self, key: u64) {
        let (byte, shift) = self.of(key);
        let is_known = |counters: u8| !matches!(counters >> shift & MAX, 0 | MAX);
        let less = |counters: u8| is_known(counters).then(|| counters - (1 << shift));
        // Fails as above.
        let _ = byte.fetch_update(Relaxed, Relaxed, less);
    }

    /// `false` if the key is certainly not in the table.
    #[inline(always)]
    pub fn may_have(&self, key: u64) -> bool {
        let (byte, shift) = self.of(key);
        byte.load(Relaxed) >> shift & MAX != 0
    }

    /// The byte with the counter of a key, and how far to shift it.
    #[inline(always)]
    fn of(&self, key: u64) -> (&AtomicU8, u32) {
        // Not the bits that the table takes, so that its shards do not matter here: the low ones of a product depend on the low ones of
        // the key, which are 0 in an address.
        let hash = (key >> 5).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (
            &self.0[(hash >> 40) as usize % BYTES],
            (hash >> 61) as u32 & 4,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_and_not_removed_is_always_there() {
        let filter = Filter::default();
        let keys: Vec<u64> = (0..1000).map(|i| 0x1000_0000_0000 + i * 512).collect();
        keys.iter().for_each(|&key| filter.add(key));
        assert!(keys.iter().all(|&key| filter.may_have(key)));
        keys[..500].iter().for_each(|&key| filter.remove(key));
        assert!(keys[500..].iter().all(|&key| filter.may_have(key)));
        let left = keys[..500].iter().filter(|&&key| filter.may_have(key));
        // Half a thousand keys take at most one counter in 65.
        assert!(left.count() < 50);
    }

    #[test]
    fn a_counter_that_has_counted_too_many_stays() {
        let filter = Filter::default();
        (0..300).for_each(|_| filter.add(64));
        (0..300).for_each(|_| filter.remove(64));
        assert!(filter.may_have(64));
    }
}
