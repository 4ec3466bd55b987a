//! A slot map: values in slots that are reused, and an index from keys to slots.

use std::hash::Hash;

use aclsan_log::BlockId;

use crate::api::fast_hash::FastMap;

/// What slots are found by.
pub(super) trait Key: Copy + Eq + Default + Hash {}

impl Key for u64 {}
impl Key for u32 {}
impl Key for BlockId {}

/// No slot.
const NONE: u32 = u32::MAX;

/// The slot of each key.
pub(super) struct Index<K> {
    slots: FastMap<K, u32>,
    /// The key that was looked up or changed last: see [`Index::find_cached`].
    latest: (K, u32),
}

impl<K: Key> Default for Index<K> {
    fn default() -> Self {
        Self {
            slots: FastMap::default(),
            latest: (K::default(), NONE),
        }
    }
}

impl<K: Key> Index<K> {
    /// The slot of a key; an index that is out of any range if it has none.
    #[inline(always)]
    pub fn find(&self, key: K) -> usize {
        self.slots
            .get(&key)
            .map_or(NONE as usize, |&slot| slot as usize)
    }

    /// [`Index::find`] for a key that is mostly looked up several times in a row.
    #[inline(always)]
    pub fn find_cached(&mut self, key: K) -> usize {
        if key != self.latest.0 {
            self.latest = (key, self.find(key) as u32);
        }
        self.latest.1 as usize
    }

    /// Gives a key a slot, in place of any that it has.
    #[inline(never)]
    pub fn put(&mut self, key: K, slot: u32) {
        self.latest = (key, slot);
        self.slots.insert(key, slot);
    }

    /// Removes a key. Returns its slot.
    pub fn remove(&mut self, key: K) -> Option<u32> {
        let slot = self.slots.remove(&key)?;
        self.latest = (key, NONE);
        Some(slot)
    }

    /// Keeps the keys whose slots are wanted.
    fn retain(&mut self, mut is_wanted: impl FnMut(u32) -> bool) {
        self.slots.retain(|_, slot| is_wanted(*slot));
        let any = K::default();
        self.latest = (any, self.find(any) as u32);
    }
}

/// Values by key, in reused slots. Memory grows with the most values there were at once.
pub(super) struct SlotMap<K, T> {
    index: Index<K>,
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<K: Key, T> Default for SlotMap<K, T> {
    fn default() -> Self {
        Self {
            index: Index::default(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K: Key, T: Default> SlotMap<K, T> {
    /// The value of a key.
    #[inline(always)]
    pub fn get(&mut self, number: K) -> Option<&mut T> {
        self.slots.get_mut(self.index.find(number))
    }

    /// The slot of a key.
    pub fn slot_of(&self, number: K) -> Option<u32> {
        let slot = self.index.find(number) as u32;
        (slot != NONE).then_some(slot)
    }

    /// The value in a slot, whichever key has it now, if any.
    #[inline(always)]
    pub fn get_slot(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)
    }

    /// [`SlotMap::get`] for a key that is mostly looked up several times in a row.
    #[inline(always)]
    pub fn get_cached(&mut self, number: K) -> Option<&mut T> {
        self.slots.get_mut(self.index.find_cached(number))
    }

    /// The value of a key, inserted if missing.
    #[inline]
    pub fn entry(&mut self, number: K) -> &mut T {
        let mut slot = self.index.find(number);
        if slot == NONE as usize {
            slot = self.add(number);
        }
        &mut self.slots[slot]
    }

    /// [`SlotMap::entry`], or `None` if the key is missing and there are `most` others.
    pub fn entry_bounded(&mut self, number: K, most: usize) -> Option<&mut T> {
        let mut slot = self.index.find(number);
        if slot == NONE as usize {
            if self.index.slots.len() >= most {
                return None;
            }
            slot = self.add(number);
        }
        self.slots.get_mut(slot)
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, number: K) -> Option<T> {
        let slot = self.index.remove(number)?;
        self.free.push(slot);
        Some(std::mem::take(&mut self.slots[slot as usize]))
    }

    /// Keeps the values that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&mut T) -> bool) {
        let (slots, free) = (&mut self.slots, &mut self.free);
        self.index.retain(|slot| {
            let known = &mut slots[slot as usize];
            let is_kept = is_wanted(known);
            if !is_kept {
                *known = T::default();
                free.push(slot);
            }
            is_kept
        });
    }

    /// All values, and a default for each free slot.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.slots.iter()
    }

    /// Capacity in slots.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.index.slots.is_empty()
    }

    #[inline(never)]
    fn add(&mut self, number: K) -> usize {
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(T::default());
        }
        self.index.put(number, slot);
        slot as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use std::collections::HashMap;

    #[test]
    fn a_room_is_empty_for_its_next_number() {
        let mut slots = SlotMap::<u64, Vec<u8>>::default();
        assert_eq!(slots.get(7), None);
        assert_eq!(slots.remove(7), None);
        slots.entry(7).push(1);
        assert_eq!(slots.get(7), Some(&mut vec![1]));
        assert_eq!(slots.remove(7), Some(vec![1]));
        assert_eq!(slots.get(7), None);
        assert_eq!(slots.remove(7), None);
        assert!(slots.entry(8).is_empty());
        slots.entry(9).push(2);
        assert_eq!(slots.count(), 2);
    }

    #[test]
    fn what_is_not_wanted_goes() {
        let mut slots = SlotMap::<u64, u64>::default();
        for number in 0..10 {
            *slots.entry(number) = number;
        }
        slots.retain(|number| *number % 2 == 0);
        assert_eq!(slots.all().sum::<u64>(), 2 + 4 + 6 + 8);
        assert_eq!(slots.get(9), None);
        assert_eq!(slots.get(8), Some(&mut 8));
        assert_eq!(slots.entry_bounded(11, 5), None);
        assert_eq!(slots.entry_bounded(8, 5), Some(&mut 8));
        assert_eq!(*slots.entry(9), 0);
        assert_eq!((slots.count(), slots.is_empty()), (10, false));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 100,
            rng_seed: RngSeed::Fixed(0x9E37_79B9_7F4A_7C15),
            ..ProptestConfig::default()
        })]

        #[test]
        fn it_has_what_any_table_has(draws in vec(0..8 * 600_u64, 0..4_000)) {
            let (mut slots, mut table) = (SlotMap::<u64, u64>::default(), HashMap::new());
            for (turn, draw) in (1..).zip(draws) {
                // 300 small numbers, and as many addresses of pages: sometimes all of them are there.
                let key = (draw / 8 % 300) << (draw / 8 / 300 * 12);
                match draw % 8 {
                    0..3 => prop_assert_eq!(slots.remove(key), table.remove(&key)),
                    3..6 => {
                        *slots.entry(key) = turn;
                        table.insert(key, turn);
                    }
                    _ => prop_assert_eq!(slots.get(key), table.get_mut(&key)),
                }
                if turn % 1_500 == 0 {
                    slots.retain(|value| *value % 3 > 0);
                    table.retain(|_, value| *value % 3 > 0);
                }
                prop_assert_eq!(slots.get_cached(key), table.get_mut(&key));
                prop_assert_eq!(slots.is_empty(), table.is_empty());
            }
            let mut left: Vec<_> = slots.all().copied().filter(|&value| value > 0).collect();
            let mut right: Vec<_> = table.values().copied().collect();
            left.sort_unstable();
            right.sort_unstable();
            prop_assert_eq!(left, right);
        }
    }
}
