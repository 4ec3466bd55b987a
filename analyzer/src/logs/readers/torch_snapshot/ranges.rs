//! Ranges of addresses of several devices, none of which overlaps another.

use std::collections::BTreeMap;

/// The ranges, each with a value.
pub struct Ranges<T>(BTreeMap<(i32, u64), (u64, T)>);

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Ranges<T> {
    /// Adds a range that overlaps none.
    pub fn insert(&mut self, device: i32, (from, to): (u64, u64), value: T) {
        self.0.insert((device, from), (to, value));
    }

    /// Takes the range that begins there.
    pub fn remove(&mut self, device: i32, from: u64) -> Option<T> {
        Some(self.0.remove(&(device, from))?.1)
    }

    /// The value of the range that begins there.
    pub fn get(&self, device: i32, from: u64) -> Option<&T> {
        Some(&self.0.get(&(device, from))?.1)
    }

    /// The ranges that have an address between `from` and `to`, in order.
    pub fn over(&self, device: i32, (from, to): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
        let before = self.0.range(..(device, from)).next_back();
        let before = before.filter(|((of, _), (end, _))| *of == device && *end > from);
        let inside = self.0.range((device, from)..(device, to.max(from)));
        let all = before.into_iter().chain(inside);
        all.map(|(&(_, start), &(end, _))| (start, end))
    }

    /// The parts of `from` to `to` that no range has; looks at no more than `most` ranges.
    pub fn gaps(&self, device: i32, (from, to): (u64, u64), most: &mut usize) -> Vec<(u64, u64)> {
        let (mut at, mut gaps) = (from, Vec::new());
        for (start, end) in self.over(device, (from, to)) {
            if *most == 0 {
                return gaps;
            }
            *most -= 1;
            if start > at {
                gaps.push((at, start));
            }
            at = at.max(end);
        }
        if at < to {
            gaps.push((at, to));
        }
        gaps
    }

    /// All ranges with device and value.
    pub fn all(&self) -> impl Iterator<Item = (i32, (u64, u64), &T)> {
        let all = self.0.iter();
        all.map(|(&(device, from), (to, value))| (device, (from, *to), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_the_gaps_between_them_by_hand() {
        let mut ranges = Ranges::default();
        ranges.insert(0, (100, 200), 'a');
        ranges.insert(0, (300, 400), 'b');
        ranges.insert(1, (0, 1000), 'c');
        let over = |range| ranges.over(0, range).collect::<Vec<_>>();
        assert_eq!(over((0, 100)), []);
        assert_eq!(over((199, 300)), [(100, 200)]);
        assert_eq!(over((150, 301)), [(100, 200), (300, 400)]);
        assert_eq!(over((400, 500)), []);
        let gaps = |range| ranges.gaps(0, range, &mut 9);
        assert_eq!(gaps((0, 500)), [(0, 100), (200, 300), (400, 500)]);
        assert_eq!(gaps((120, 180)), []);
        assert_eq!(ranges.gaps(0, (0, 500), &mut 1), [(0, 100)]);
        assert_eq!(ranges.remove(0, 100), Some('a'));
        assert_eq!(ranges.remove(0, 100), None);
    }
}
