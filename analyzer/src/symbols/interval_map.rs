//! A static interval map: half-open address ranges that may overlap or nest.
//!
//! Ours: `rangemap` merges overlapping ranges, and for a table that is built once and asked for the latest start first, a sorted list is
//! enough.

/// One value per range `[start, end)`, ordered by start.
#[derive(Debug)]
pub struct IntervalMap<T> {
    entries: Vec<Entry<T>>,
    /// The highest end of each [`BLOCK`] entries: one wide range would make all behind it candidates.
    block_ends: Vec<u64>,
}

/// Entries that are passed over together.
const BLOCK: usize = 32;

#[derive(Debug)]
struct Entry<T> {
    start: u64,
    end: u64,
    /// The highest end of this entry and all before it. If it is not above an address, no earlier entry contains that address.
    furthest_end: u64,
    value: T,
}

impl<T> IntervalMap<T> {
    /// Builds the map from `(start, end, value)`, dropping empty ranges. Ranges with the same start keep their order.
    pub fn new(ranges: impl IntoIterator<Item = (u64, u64, T)>) -> Self {
        let mut entries: Vec<Entry<T>> = ranges
            .into_iter()
            .filter(|(start, end, _)| start < end)
            .map(|(start, end, value)| Entry {
                start,
                end,
                furthest_end: end,
                value,
            })
            .collect();
        entries.sort_by_key(|entry| entry.start);
        let mut furthest_end = 0;
        for entry in &mut entries {
            furthest_end = furthest_end.max(entry.end);
            entry.furthest_end = furthest_end;
        }
        let ends = |block: &[Entry<T>]| block.iter().map(|entry| entry.end).max();
        let block_ends = entries.chunks(BLOCK).filter_map(ends).collect();
        Self {
            entries,
            block_ends,
        }
    }

    /// The values whose range contains `address`, latest start first.
    pub fn containing(&self, address: u64) -> impl Iterator<Item = &T> {
        let after = self.entries.partition_point(|entry| entry.start <= address);
        let blocks = self.entries[..after].chunks(BLOCK).zip(&self.block_ends);
        blocks
            .rev()
            .take_while(move |(block, _)| block[block.len() - 1].furthest_end > address)
            .filter(move |(_, furthest)| **furthest > address)
            .flat_map(move |(block, _)| {
                let block = block.iter().rev();
                block.filter(move |entry| entry.end > address)
            })
            .map(|entry| &entry.value)
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ranges: &IntervalMap<&'static str>, address: u64) -> Vec<&'static str> {
        ranges.containing(address).copied().collect()
    }

    #[test]
    fn the_end_of_a_range_is_outside_it() {
        let ranges = IntervalMap::new([(10, 20, "a"), (20, 30, "b")]);
        assert_eq!(at(&ranges, 9), [""; 0]);
        assert_eq!(at(&ranges, 19), ["a"]);
        assert_eq!(at(&ranges, 20), ["b"]);
        assert_eq!(at(&ranges, 30), [""; 0]);
    }

    #[test]
    fn an_address_past_a_nested_range_finds_the_outer_one() {
        let ranges = IntervalMap::new([(0, 100, "outer"), (40, 50, "inner")]);
        assert_eq!(at(&ranges, 45), ["inner", "outer"]);
        assert_eq!(at(&ranges, 70), ["outer"]);
    }

    #[test]
    fn a_range_around_many_others_is_found_among_them() {
        let small = (0..1000).map(|at| (10 * at, 10 * at + 5, at));
        let ranges = IntervalMap::new(small.chain([(25, 9_000, 1000), (5_000, 5_100, 1001)]));
        let at = |address| -> Vec<u64> { ranges.containing(address).copied().collect() };
        assert_eq!(at(24), [2]);
        assert_eq!(at(26), [1000]);
        assert_eq!(at(5_052), [505, 1001, 1000]);
        assert_eq!(at(5_057), [1001, 1000]);
        assert_eq!(at(8_999), [1000]);
        assert_eq!(at(9_000), [900]);
        assert!(at(9_996).is_empty());
    }

    #[test]
    fn empty_and_reversed_ranges_hold_nothing() {
        assert!(IntervalMap::new([(5, 5, "empty"), (9, 3, "reversed")]).is_empty());
    }
}
