//! Stretches of memory that may lie over each other, found by the bytes that they have.
//!
//! A long one may begin far before an address and reach over it, with a thousand short ones in between. They are kept apart by the power
//! of two of their lengths: of each power, only those can reach an address that begin less than twice that before it.

use std::collections::{BTreeMap, BTreeSet};

/// Starts of stretches, by the digits of their lengths.
#[derive(Default)]
pub struct Stretches {
    classes: BTreeMap<u32, BTreeSet<u64>>,
}

impl Stretches {
    /// There is one from `start` on; nothing is kept of one without bytes.
    pub fn insert(&mut self, start: u64, size: u64) {
        if size > 0 {
            self.classes.entry(size.ilog2()).or_default().insert(start);
        }
    }

    /// It has gone. Its size is the one that it came with.
    pub fn remove(&mut self, start: u64, size: u64) {
        if let Some(power) = size.checked_ilog2()
            && let Some(class) = self.classes.get_mut(&power)
        {
            class.remove(&start);
            if class.is_empty() {
                self.classes.remove(&power);
            }
        }
    }

    /// Starts below `end` of all that may have a byte from `start` on, and of some that have none.
    pub fn reaching(&self, start: u64, end: u64) -> impl Iterator<Item = u64> {
        let classes = self.classes.iter().filter(move |_| start < end);
        classes.flat_map(move |(power, class)| {
            let most = 2u64.saturating_pow(power + 1);
            class.range(start.saturating_sub(most)..end).rev().copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(stretches: &Stretches, start: u64, end: u64) -> Vec<u64> {
        let mut found: Vec<u64> = stretches.reaching(start, end).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_long_one_is_found_behind_short_ones_and_those_are_not_asked() {
        let mut stretches = Stretches::default();
        stretches.insert(0, 1 << 20);
        for at in 0..1000 {
            stretches.insert(64 + at * 64, 32);
        }
        // 32 bytes have begun 64 before at most: two starts of the short ones.
        assert_eq!(reached(&stretches, 64_000, 64_001), [0, 63_936, 64_000]);
        stretches.remove(0, 1 << 20);
        assert_eq!(reached(&stretches, 70_000, 70_001), []);
    }

    #[test]
    fn ends_of_the_address_space_and_nothing_are_no_trouble() {
        let mut stretches = Stretches::default();
        stretches.insert(5, u64::MAX);
        stretches.insert(u64::MAX, 1);
        stretches.insert(9, 0);
        assert_eq!(reached(&stretches, u64::MAX - 1, u64::MAX), [5]);
        assert_eq!(reached(&stretches, 8, 8), []);
        stretches.remove(9, 0);
        stretches.remove(77, 3);
    }
}
