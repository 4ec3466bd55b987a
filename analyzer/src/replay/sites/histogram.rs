//! A log-linear histogram: quantiles of any number of values in little memory.
//!
//! This is an HDR histogram (HdrHistogram) with 6 significant bits, with removal, and without an allocation of counters for the first 24
//! distinct values. The `hdrhistogram` crate takes some 17 KiB for the same range, times thousands of sites; `sketches-ddsketch` cannot
//! remove values, and `tdigest` is not exact for small counts.

/// Significant bits. A reported value is at most a 32nd above the true one, and exact below 64.
const SIGNIFICANT_BITS: u32 = 6;

/// Distinct values up to which a sorted list is kept: a site with few allocations should cost little.
const MAX_SPARSE: usize = 24;
/// Extra buckets allocated below a new first one.
const ROOM_BELOW: usize = 16;
/// The last bucket, for values that round up past the largest number.
const LAST_BUCKET: usize = bucket(u64::MAX);

/// Counts of values by bucket.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LogLinearHistogram {
    /// Buckets and counts in order, while they are few.
    sparse: Vec<(u16, u32)>,
    /// Then the counts of all buckets from `first` on: a search would cost more than the memory.
    counts: Vec<u32>,
    first: usize,
    total: u64,
}

impl LogLinearHistogram {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.add_to(bucket(value));
    }

    /// Adds a value to a bucket.
    #[inline]
    pub(super) fn add_to(&mut self, at: usize) {
        self.total += 1;
        if let Some(count) = self.counts.get_mut(at.wrapping_sub(self.first)) {
            *count = count.saturating_add(1);
        } else {
            self.add_new(at);
        }
    }

    /// Adds a value to each of these buckets.
    pub(super) fn add_to_all(&mut self, buckets: &[u16]) {
        let (mut outside, first) = (buckets.len(), self.first);
        let counts = self.counts.as_mut_slice();
        for (at, &bucket) in buckets.iter().enumerate() {
            let Some(count) = counts.get_mut(usize::from(bucket).wrapping_sub(first)) else {
                outside = at;
                break;
            };
            *count = count.saturating_add(1);
        }
        self.total += outside as u64;
        // After one that is outside of the table, the table is another.
        for &bucket in &buckets[outside..] {
            self.add_to(bucket.into());
        }
    }

    /// A histogram with a table from the first value on, for many values of which few are distinct.
    pub fn dense() -> Self {
        Self {
            counts: vec![0; LAST_BUCKET + 1],
            ..Self::default()
        }
    }

    /// Adds to the list, or to a bucket outside the table.
    #[inline(never)]
    fn add_new(&mut self, at: usize) {
        if self.counts.is_empty() {
            match self
                .sparse
                .binary_search_by_key(&(at as u16), |(at, _)| *at)
            {
                Ok(known) => self.sparse[known].1 += 1,
                Err(_) if self.sparse.len() == MAX_SPARSE => self.make_dense(at),
                Err(place) => self.sparse.insert(place, (at as u16, 1)),
            }
        } else {
            self.widen(at);
            self.counts[at - self.first] += 1;
        }
    }

    /// Turns the list into a table.
    fn make_dense(&mut self, at: usize) {
        let sparse = std::mem::take(&mut self.sparse);
        let (first, last) = (sparse.first(), sparse.last());
        self.first = first.map_or(at, |(first, _)| at.min((*first).into()));
        let last = last.map_or(at, |(last, _)| at.max((*last).into()));
        self.counts = vec![0; last - self.first + 1];
        for (at, count) in sparse {
            self.counts[usize::from(at) - self.first] += count;
        }
        self.counts[at - self.first] += 1;
    }

    /// Extends the table to a bucket.
    fn widen(&mut self, at: usize) {
        if at < self.first {
            // More lower values are likely to follow.
            let first = at.saturating_sub(ROOM_BELOW);
            let more = self.first - first;
            self.counts.splice(0..0, std::iter::repeat_n(0, more));
            self.first = first;
        }
        let needed = at - self.first + 1;
        if self.counts.len() < needed {
            self.counts.resize(needed, 0);
        }
    }

    /// Removes a value, if one like it was added.
    pub fn remove(&mut self, value: u64) {
        let at = bucket(value);
        let sparse = self
            .sparse
            .iter_mut()
            .find(|(known, _)| usize::from(*known) == at);
        let count = match sparse {
            Some((_, count)) => Some(count),
            None => self.counts.get_mut(at.wrapping_sub(self.first)),
        };
        if let Some(count) = count.filter(|count| **count > 0) {
            *count -= 1;
            self.total -= 1;
        }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Buckets and counts, in order.
    fn list(&self) -> impl Iterator<Item = (usize, u64)> {
        let sparse = self
            .sparse
            .iter()
            .map(|&(at, count)| (at.into(), count.into()));
        let counts = self.counts.iter().zip(self.first..);
        sparse.chain(counts.map(|(&count, at)| (at, count.into())))
    }

    /// Number of values above `limit`, to bucket precision.
    pub fn above(&self, limit: u64) -> u64 {
        let limit = bucket(limit);
        let above = self.list().filter(|(at, _)| *at > limit);
        above.map(|(_, count)| count).sum()
    }

    /// Number of values below each limit and not below the one before, to bucket precision; limits ascend. The last number is of values above all.
    pub fn between<const N: usize>(&self, limits: [u64; N]) -> ([u64; N], u64) {
        let (mut counts, mut above) = ([0; N], 0);
        for (at, count) in self.list() {
            let place = limits.iter().position(|&limit| at < bucket(limit));
            match place {
                Some(place) => counts[place] += count,
                None => above += count,
            }
        }
        (counts, above)
    }

    /// The value that `percent` % of all values do not exceed, given `below` further values smaller than any of these. `None` if that is
    /// one of those, or there are no values.
    pub fn quantile(&self, percent: u64, below: u64) -> Option<u64> {
        let all = u128::from(self.total) + u128::from(below);
        let rank = (all * u128::from(percent)).div_ceil(100);
        let mut seen = u128::from(below);
        if rank <= seen {
            return None;
        }
        for (at, count) in self.list() {
            seen += u128::from(count);
            if rank <= seen {
                return Some(highest(at));
            }
        }
        None
    }
}

/// Rounds up to [`SIGNIFICANT_BITS`] significant bits; buckets are consecutive and in order.
pub(super) const fn bucket(value: u64) -> usize {
    let drop = (u64::BITS - value.leading_zeros()).saturating_sub(SIGNIFICANT_BITS);
    let mask = (1_u64 << drop) - 1;
    // A carry into the next power of two is that power's first bucket: 64 << drop is 32 << (drop + 1).
    let kept = (value >> drop) as usize + (value & mask != 0) as usize;
    (drop as usize) * (1 << (SIGNIFICANT_BITS - 1)) + kept
}

/// The value that a bucket's values are rounded up to.
fn highest(at: usize) -> u64 {
    let half = 1 << (SIGNIFICANT_BITS - 1);
    match at {
        LAST_BUCKET.. => u64::MAX,
        _ if at < 2 * half => at as u64,
        _ => {
            let drop = at / half - 1;
            ((at - drop * half) as u64) << drop
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_small_values_are_exact() {
        let mut histogram = LogLinearHistogram::default();
        (1..=20).for_each(|value| histogram.add(value));
        // Of 20 values the 10th, the 19th and the 20th.
        let reported = [50, 95, 100].map(|percent| histogram.quantile(percent, 0));
        assert_eq!(reported, [Some(10), Some(19), Some(20)]);
        histogram.remove(20);
        assert_eq!(histogram.quantile(100, 0), Some(19));
        assert_eq!(LogLinearHistogram::default().quantile(50, 0), None);
    }

    #[test]
    fn values_that_were_only_counted_are_below() {
        let mut histogram = LogLinearHistogram::default();
        histogram.add(40);
        histogram.add(60);
        // 8 below, 2 here: the 5th and the 8th are below, the 9th is 40, the 10th 60.
        assert_eq!(histogram.quantile(50, 8), None);
        assert_eq!(histogram.quantile(80, 8), None);
        assert_eq!(histogram.quantile(90, 8), Some(40));
        assert_eq!(histogram.quantile(99, 8), Some(60));
    }

    #[test]
    fn large_values_are_within_a_32nd() {
        for value in [64, 1000, 4097, 1 << 40, u64::MAX] {
            let reported = highest(bucket(value));
            assert!(
                reported >= value && (reported == u64::MAX || reported - value <= value / 32),
                "{value}"
            );
        }
        assert_eq!(highest(bucket(1000)), 1008); // 10 bits: multiples of 16
        assert_eq!(highest(bucket(1023)), 1024); // a carry
    }

    #[test]
    fn many_values_are_counted_like_few() {
        let mut histogram = LogLinearHistogram::default();
        // 1000 values: 40 different ones of 25 each, from above and from below the first.
        for n in 0..1000_u64 {
            histogram.add([500 - n % 40, 500][(n % 40 == 0) as usize]);
        }
        // The lowest is 461: 9 bits, in steps of 8, so 464; the highest 500 becomes 504.
        let reported = [1, 100].map(|percent| histogram.quantile(percent, 0));
        assert_eq!(
            (reported, histogram.count()),
            ([Some(464), Some(504)], 1000)
        );
        // Steps of 8 from 464 to 504 are six: a list. Further ones make it a table.
        (0..60).for_each(|n| histogram.add(1 << n));
        assert_eq!(histogram.quantile(100, 0), Some(1 << 59));
        // The 11th of 1060: nine powers of two lie below 464. Above 504 lie 2^9 to 2^59.
        assert_eq!(
            (histogram.quantile(1, 0), histogram.above(504)),
            (Some(464), 51)
        );
    }
}
