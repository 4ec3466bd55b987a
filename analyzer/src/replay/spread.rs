//! How values spread: quantiles of any number of them, in little memory.

/// Bits of a value that are kept: what is told is at most a 32nd above the true value, and exact below 64.
const BITS: u32 = 6;

/// Values by size.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Spread {
    /// Value and count, by value: few enough that a search in one piece of memory beats a tree.
    counts: Vec<(u64, u64)>,
    total: u64,
}

impl Spread {
    /// One more value.
    pub fn add(&mut self, value: u64) {
        let value = rounded(value);
        match self.find(value) {
            Ok(at) => self.counts[at].1 += 1,
            Err(at) => self.counts.insert(at, (value, 1)),
        }
        self.total += 1;
    }

    fn find(&self, value: u64) -> Result<usize, usize> {
        self.counts
            .binary_search_by_key(&value, |(value, _)| *value)
    }

    /// One value fewer, if there is one like it.
    pub fn remove(&mut self, value: u64) {
        if let Ok(at) = self.find(rounded(value))
            && self.counts[at].1 > 0
        {
            self.counts[at].1 -= 1;
            self.total -= 1;
        }
    }

    /// Values.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Values above `limit`, as far as they can be told apart.
    pub fn above(&self, limit: u64) -> u64 {
        let limit = rounded(limit);
        let above = self.counts.iter().filter(|(value, _)| *value > limit);
        above.map(|(_, count)| count).sum()
    }

    /// The value that `percent` of a hundred do not exceed, where `below` further values are smaller than all of these. `None` when it
    /// is one of those, or there is none.
    pub fn quantile(&self, percent: u64, below: u64) -> Option<u64> {
        let all = u128::from(self.total) + u128::from(below);
        let rank = (all * u128::from(percent)).div_ceil(100);
        let mut seen = u128::from(below);
        if rank <= seen {
            return None;
        }
        for &(value, count) in &self.counts {
            seen += u128::from(count);
            if rank <= seen {
                return Some(value);
            }
        }
        None
    }
}

/// Upwards, to [`BITS`] significant bits.
fn rounded(value: u64) -> u64 {
    let drop = (u64::BITS - value.leading_zeros()).saturating_sub(BITS);
    value
        .checked_next_multiple_of(1 << drop)
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_small_values_are_exact() {
        let mut spread = Spread::default();
        (1..=20).for_each(|value| spread.add(value));
        // Of 20 values the 10th, the 19th and the 20th.
        let told = [50, 95, 100].map(|percent| spread.quantile(percent, 0));
        assert_eq!(told, [Some(10), Some(19), Some(20)]);
        spread.remove(20);
        assert_eq!(spread.quantile(100, 0), Some(19));
        assert_eq!(Spread::default().quantile(50, 0), None);
    }

    #[test]
    fn values_that_were_only_counted_lie_below() {
        let mut spread = Spread::default();
        spread.add(40);
        spread.add(60);
        // 8 below, 2 here: the 5th and the 8th are below, the 9th is 40, the 10th 60.
        assert_eq!(spread.quantile(50, 8), None);
        assert_eq!(spread.quantile(80, 8), None);
        assert_eq!(spread.quantile(90, 8), Some(40));
        assert_eq!(spread.quantile(99, 8), Some(60));
    }

    #[test]
    fn large_values_are_told_within_a_32nd() {
        for value in [64, 1000, 4097, 1 << 40, u64::MAX] {
            let told = rounded(value);
            assert!(
                told >= value && (told == u64::MAX || told - value <= value / 32),
                "{value}"
            );
        }
        assert_eq!(rounded(1000), 1008); // 10 bits: multiples of 16
    }
}
