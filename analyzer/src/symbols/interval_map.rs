//! A static interval map: half-open address ranges that may overlap or nest.
//!
//! Ours: `rangemap` merges overlapping ranges, and for a table that is built once and asked for the latest start first, a sorted list is
//! enough.

/// One value per range `[start, end)`, ordered by start.
#[derive(Debug)]
pub struct IntervalMap<T> {
    entries: Vec<Entry<T>>,
}

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
        Self { entries }
    }

    /// The values whose range contains `address`, latest start first.
    pub fn containing(&self, address: u64) -> impl Iterator<Item = &T> {
        let after = self.entries.partition_point(|entry| entry.start <= address);
        self.entries[..after]
            .iter()
            .rev()
            .take_while(move |entry| entry.furthest_end > address)
            .filter(move |entry| entry.end > address)
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
    fn empty_and_reversed_ranges_hold_nothing() {
        assert!(IntervalMap::new([(5, 5, "empty"), (9, 3, "reversed")]).is_empty());
    }
}
