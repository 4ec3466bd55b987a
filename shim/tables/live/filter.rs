//! Whether a block of the table may start at an address: read without a lock, in one byte of an array that the caches hold.

use crate::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bytes of the array, few enough for a second-level cache that the program's own data passes through. With as many keys in the table, two of
/// three bytes are not 0, and the table answers instead.
const BYTES: usize = if cfg!(loom) { 2 } else { 1 << 15 };
/// A byte that has been here stays: how many keys it counts is not known any more.
const MAX: u8 = u8::MAX;

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
        let more = |count: u8| Some(count.saturating_add(1));
        // It never fails.
        let _ = self.of(key).fetch_update(Relaxed, Relaxed, more);
    }

    /// A key is in it no more.
    pub fn remove(&self, key: u64) {
        let less = |count: u8| (count != MAX).then(|| count.saturating_sub(1));
        // Fails for a count that is not known any more.
        let _ = self.of(key).fetch_update(Relaxed, Relaxed, less);
    }

    /// `false` if the key is certainly not in the table.
    #[inline(always)]
    pub fn may_have(&self, key: u64) -> bool {
        self.of(key).load(Relaxed) != 0
    }

    #[inline(always)]
    fn of(&self, key: u64) -> &AtomicU8 {
        // Not the bits that the table takes, so that its shards do not matter here: the low ones of a product depend on the low ones of
        // the key, which are 0 in an address.
        let hash = (key >> 5).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(hash >> 40) as usize % BYTES]
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
        // Half a thousand keys take at most one byte in 65.
        assert!(left.count() < 50);
    }

    #[test]
    fn a_byte_that_has_counted_too_many_stays() {
        let filter = Filter::default();
        (0..300).for_each(|_| filter.add(64));
        (0..300).for_each(|_| filter.remove(64));
        assert!(filter.may_have(64));
    }
}
