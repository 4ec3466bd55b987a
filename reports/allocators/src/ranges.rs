//! Free ranges of addresses, and where they end.

use std::collections::BTreeMap;

/// The free addresses of an arena that has no end: whoever takes more than is free makes it longer.
#[derive(Debug)]
pub struct FreeRanges {
    /// Bytes by start; none touches the next, and none touches `end`.
    free: BTreeMap<u64, u64>,
    end: u64,
}

impl FreeRanges {
    /// An empty arena that begins at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            free: BTreeMap::new(),
            end: start,
        }
    }

    /// Where the last range that is not free ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Free ranges, in order of address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.free.iter().map(|(&start, &bytes)| (start, bytes))
    }

    /// Takes the first `bytes` that are free, at a multiple of `align`. Returns their start, and whether the arena grew.
    pub fn take_first(&mut self, bytes: u64, align: u64) -> (u64, bool) {
        let place = self.iter().find_map(|(start, free)| {
            let at = start.checked_next_multiple_of(align)?;
            (at.checked_add(bytes)? <= start + free).then_some(at)
        });
        match place {
            Some(at) => {
                self.take(at, bytes);
                (at, false)
            }
            None => (self.grow(bytes, align), true),
        }
    }

    /// Takes `bytes` at `at`, which are free.
    pub fn take(&mut self, at: u64, bytes: u64) {
        let Some((start, free)) = self.around(at) else {
            return;
        };
        self.free.remove(&start);
        self.insert(start, at - start);
        let end = at.saturating_add(bytes);
        self.insert(end, (start + free).saturating_sub(end));
    }

    /// Makes the arena longer by `bytes`, at a multiple of `align`. Returns their start.
    pub fn grow(&mut self, bytes: u64, align: u64) -> u64 {
        let at = self.end.checked_next_multiple_of(align).unwrap_or(self.end);
        self.insert(self.end, at - self.end);
        self.end = at.saturating_add(bytes);
        at
    }

    /// Returns a range, which joins free neighbors; at the end, the arena gets shorter.
    pub fn give_back(&mut self, at: u64, bytes: u64) {
        let (mut start, mut end) = (at, at.saturating_add(bytes));
        if let Some((before, free)) = self.around(at.saturating_sub(1))
            && before + free == start
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(free) = self.free.remove(&end) {
            end += free;
        }
        match end >= self.end && start < self.end {
            true => self.end = start,
            false => self.insert(start, end - start),
        }
    }

    /// The free range that has `at`.
    fn around(&self, at: u64) -> Option<(u64, u64)> {
        let (&start, &free) = self.free.range(..=at).next_back()?;
        (at < start + free).then_some((start, free))
    }

    fn insert(&mut self, start: u64, bytes: u64) {
        if bytes > 0 {
            self.free.insert(start, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_join_and_the_end_moves_back() {
        let mut ranges = FreeRanges::new(0);
        for at in [0, 10, 20, 30] {
            assert_eq!(ranges.take_first(10, 1), (at, true));
        }
        ranges.give_back(0, 10);
        ranges.give_back(20, 10);
        ranges.give_back(10, 10);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 30)]);
        assert_eq!(ranges.take_first(8, 16), (0, false));
        assert_eq!(ranges.take_first(4, 16), (16, false));
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(8, 8), (20, 10)]);
        ranges.give_back(30, 10);
        assert_eq!(ranges.end(), 20);
    }

    #[test]
    fn a_range_beyond_the_end_is_free_and_not_the_end() {
        // A recorded address, which the arena did not give.
        let mut ranges = FreeRanges::new(0);
        ranges.give_back(1000, 10);
        assert_eq!(ranges.end(), 0);
        assert_eq!(ranges.take_first(10, 1), (1000, false));
    }
}
