//! Overlapping intervals of memory that come and go, found by address.
//!
//! A long interval may begin far before an address and still cover it, with a thousand short ones in between. So
//! intervals are kept apart by the power of two of their lengths: of each power, only those that begin less than twice
//! that before an address can cover it.
//!
//! Why not `rangemap` or `intervaltree`: the first merges intervals, the second is static.

use std::collections::{BTreeMap, BTreeSet};

/// Starts of intervals, by the logarithm of their lengths.
#[derive(Default)]
pub struct IntervalBuckets {
    buckets: BTreeMap<u32, BTreeSet<u64>>,
}

impl IntervalBuckets {
    /// Adds an interval. Empty ones are ignored.
    pub fn insert(&mut self, start: u64, size: u64) {
        if size > 0 {
            self.buckets.entry(size.ilog2()).or_default().insert(start);
        }
    }

    /// Removes an interval, given the size that it was added with.
    pub fn remove(&mut self, start: u64, size: u64) {
        if let Some(power) = size.checked_ilog2()
            && let Some(bucket) = self.buckets.get_mut(&power)
        {
            bucket.remove(&start);
            if bucket.is_empty() {
                self.buckets.remove(&power);
            }
        }
    }

    /// Starts below `end` of all intervals that may have a byte from `start` on. Some of them may have none.
    pub fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = u64> {
        let buckets = self.buckets.iter().filter(move |_| start < end);
        buckets.flat_map(move |(power, bucket)| {
            let most = 2u64.saturating_pow(power + 1);
            bucket.range(start.saturating_sub(most)..end).rev().copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(buckets: &IntervalBuckets, start: u64, end: u64) -> Vec<u64> {
        let mut found: Vec<u64> = buckets.overlapping(start, end).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_long_one_is_found_behind_short_ones_and_those_are_not_asked() {
        let mut buckets = IntervalBuckets::default();
        buckets.insert(0, 1 << 20);
        for at in 0..1000 {
            buckets.insert(64 + at * 64, 32);
        }
        // Intervals of 32 bytes begin at most 64 before: two of the short ones.
        assert_eq!(resolved(&buckets, 64_000, 64_001), [0, 63_936, 64_000]);
        buckets.remove(0, 1 << 20);
        assert!(resolved(&buckets, 70_000, 70_001).is_empty());
    }

    #[test]
    fn ends_of_the_address_space_and_nothing_are_no_trouble() {
        let mut buckets = IntervalBuckets::default();
        buckets.insert(5, u64::MAX);
        buckets.insert(u64::MAX, 1);
        buckets.insert(9, 0);
        assert_eq!(resolved(&buckets, u64::MAX - 1, u64::MAX), [5]);
        assert!(resolved(&buckets, 8, 8).is_empty());
        buckets.remove(9, 0);
        buckets.remove(77, 3);
    }
}
