//! A map with a cache of the last key: most lookups repeat the previous one, by device or by thread.

use std::collections::BTreeMap;

/// Values by key, found without a search if the key is the last one used.
#[derive(Debug)]
pub struct LastKeyMap<K, T> {
    list: Vec<T>,
    places: BTreeMap<K, usize>,
    last: Option<(K, usize)>,
}

impl<K, T> Default for LastKeyMap<K, T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            places: BTreeMap::new(),
            last: None,
        }
    }
}

impl<K: Copy + Ord, T: Default> LastKeyMap<K, T> {
    /// The value of a key, created on first use.
    #[inline]
    pub fn of(&mut self, key: K) -> &mut T {
        let at = match self.last {
            Some((known, at)) if known == key => at,
            _ => self.find(key),
        };
        &mut self.list[at]
    }

    #[inline(never)]
    fn find(&mut self, key: K) -> usize {
        let at = *self.places.entry(key).or_insert_with(|| {
            self.list.push(T::default());
            self.list.len() - 1
        });
        self.last = Some((key, at));
        at
    }

    /// The value of a key, if it has one.
    pub fn get(&self, key: K) -> Option<&T> {
        self.places.get(&key).map(|&at| &self.list[at])
    }

    /// All entries, by key.
    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        let places = self.places.iter();
        places.map(|(&key, &at)| (key, &self.list[at]))
    }

    /// All values, in order of creation.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_apart_and_listed_in_order() {
        let mut drawers: LastKeyMap<(i32, bool), u32> = LastKeyMap::default();
        for key in [(7, true), (7, false), (1, true), (1, true), (7, true)] {
            *drawers.of(key) += 1;
        }
        let reported: Vec<_> = drawers.iter().map(|(key, count)| (key, *count)).collect();
        assert_eq!(reported, [((1, true), 2), ((7, false), 1), ((7, true), 2)]);
        assert_eq!(drawers.get((1, true)), Some(&2));
        assert_eq!(drawers.get((1, false)), None);
        assert!(drawers.values().eq(&[2, 1, 2]));
    }
}
