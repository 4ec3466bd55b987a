//! Things by number, each in a slot of its own that is used again.
//!
//! A number is looked for from the place on that its hash names: with three quarters of the index empty, the first one mostly has it.

use aclsan_log::BlockId;

use crate::api::fast_hash::hash;

/// What slots are found by.
pub(super) trait Number: Copy + Eq + Default {
    /// The number.
    fn bits(self) -> u64;
}

impl Number for u64 {
    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

impl Number for u32 {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Number for BlockId {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.0
    }
}

/// What an empty place has for a slot.
const EMPTY: u32 = u32::MAX;

/// Which slot each number has.
pub(super) struct Index<K> {
    /// None, or a power of two, at least four times as many as there are numbers.
    index: Vec<(K, u32)>,
    count: usize,
    /// What was looked for last, or changed: see [`Index::find_cached`].
    latest: (K, u32),
}

impl<K: Number> Default for Index<K> {
    fn default() -> Self {
        Self {
            index: Vec::new(),
            count: 0,
            latest: (K::default(), EMPTY),
        }
    }
}

impl<K: Number> Index<K> {
    /// The slot of a number, mostly at the first place that is looked at; where there is none, one that nothing has.
    #[inline(always)]
    pub fn find(&self, number: K) -> usize {
        let mask = self.index.len().wrapping_sub(1);
        let at = first(number) & mask;
        match self.index.get(at) {
            Some(&(known, slot)) if known == number => slot as usize,
            _ => self.find_from(at, number),
        }
    }

    /// The same of a number that is mostly asked for several times in a row.
    #[inline(always)]
    pub fn find_cached(&mut self, number: K) -> usize {
        if number != self.latest.0 {
            self.latest = (number, self.find(number) as u32);
        }
        self.latest.1 as usize
    }

    #[inline(never)]
    fn find_from(&self, mut at: usize, number: K) -> usize {
        let mask = self.index.len().wrapping_sub(1);
        while let Some(&(known, slot)) = self.index.get(at) {
            if known == number || slot == EMPTY {
                return slot as usize;
            }
            at = (at + 1) & mask;
        }
        EMPTY as usize
    }

    fn place(&self, number: K) -> Option<usize> {
        let mask = self.index.len().wrapping_sub(1);
        let mut at = first(number) & mask;
        loop {
            match *self.index.get(at)? {
                (_, EMPTY) => return None,
                (known, _) if known == number => return Some(at),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Gives a number a slot, in place of any that it has.
    #[inline(never)]
    pub fn put(&mut self, number: K, slot: u32) {
        self.latest = (number, slot);
        if let Some(at) = self.place(number) {
            self.index[at].1 = slot;
            return;
        }
        if 4 * (self.count + 1) > self.index.len() {
            let slot = (2 * self.index.len()).max(16);
            let before = std::mem::replace(&mut self.index, vec![(K::default(), EMPTY); slot]);
            for (number, slot) in before.into_iter().filter(|place| place.1 != EMPTY) {
                self.put_new(number, slot);
            }
        }
        self.put_new(number, slot);
        self.count += 1;
    }

    /// Puts a number that there is not where it will be looked for.
    fn put_new(&mut self, number: K, slot: u32) {
        let mask = self.index.len() - 1;
        let mut at = first(number) & mask;
        while self.index[at].1 != EMPTY {
            at = (at + 1) & mask;
        }
        self.index[at] = (number, slot);
    }

    /// Takes a number out; its slot.
    pub fn remove(&mut self, number: K) -> Option<u32> {
        let mut gap = self.place(number)?;
        let slot = self.index[gap].1;
        self.latest = (number, EMPTY);
        // Those behind it that would be looked for at its place, or before, move up.
        let mask = self.index.len() - 1;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let (other, other_slot) = self.index[at];
            if other_slot == EMPTY {
                break;
            }
            let away = at.wrapping_sub(first(other)) & mask;
            if away >= at.wrapping_sub(gap) & mask {
                self.index[gap] = (other, other_slot);
                gap = at;
            }
        }
        self.index[gap] = (K::default(), EMPTY);
        self.count -= 1;
        Some(slot)
    }

    /// Keeps those whose slots are wanted.
    fn retain(&mut self, mut is_wanted: impl FnMut(u32) -> bool) {
        let empty = vec![(K::default(), EMPTY); self.index.len()];
        let before = std::mem::replace(&mut self.index, empty);
        for (number, slot) in before.into_iter().filter(|place| place.1 != EMPTY) {
            match is_wanted(slot) {
                true => self.put_new(number, slot),
                false => self.count -= 1,
            }
        }
        let any = K::default();
        self.latest = (any, self.find(any) as u32);
    }
}

/// A table by number. Memory goes with the most that there were at once.
pub(super) struct SlotMap<K, T> {
    index: Index<K>,
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<K: Number, T> Default for SlotMap<K, T> {
    fn default() -> Self {
        Self {
            index: Index::default(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K: Number, T: Default> SlotMap<K, T> {
    /// What there is of that number.
    #[inline(always)]
    pub fn get(&mut self, number: K) -> Option<&mut T> {
        self.slots.get_mut(self.index.find(number))
    }

    /// The slot that a number has.
    pub fn slot_of(&self, number: K) -> Option<u32> {
        let slot = self.index.find(number) as u32;
        (slot != EMPTY).then_some(slot)
    }

    /// What is in a slot: of whichever number that is now, or of none.
    #[inline(always)]
    pub fn get_slot(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)
    }

    /// The same of a number that is mostly asked for several times in a row.
    #[inline(always)]
    pub fn get_cached(&mut self, number: K) -> Option<&mut T> {
        self.slots.get_mut(self.index.find_cached(number))
    }

    /// The same, made if there is nothing.
    #[inline]
    pub fn entry(&mut self, number: K) -> &mut T {
        let mut slot = self.index.find(number);
        if slot == EMPTY as usize {
            slot = self.add(number);
        }
        &mut self.slots[slot]
    }

    /// The same; `None` if there is nothing, and `most` of others.
    pub fn entry_bounded(&mut self, number: K, most: usize) -> Option<&mut T> {
        let mut slot = self.index.find(number);
        if slot == EMPTY as usize {
            if self.index.count >= most {
                return None;
            }
            slot = self.add(number);
        }
        self.slots.get_mut(slot)
    }

    /// Takes it out.
    pub fn remove(&mut self, number: K) -> Option<T> {
        let slot = self.index.remove(number)?;
        self.free.push(slot);
        Some(std::mem::take(&mut self.slots[slot as usize]))
    }

    /// Keeps those that are wanted.
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

    /// All of them, and nothing for each slot that is free.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.slots.iter()
    }

    /// How many slots there are, those that are free among them.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.index.count == 0
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

/// Where a number is looked for first, in a table of any size: handles and addresses differ in the middle, numbers of blocks at the end.
#[inline(always)]
fn first<K: Number>(number: K) -> usize {
    hash(number.bits()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn it_has_what_any_table_has() {
        let (mut slots, mut table) = (SlotMap::<u64, u64>::default(), HashMap::new());
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for turn in 0..200_000_u64 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // 300 numbers, addresses of pages and small ones: sometimes all of them are there.
            let number = (random % 300) << ((random >> 32) % 2 * 12);
            match (random >> 40) % 8 {
                0..3 => assert_eq!(slots.remove(number), table.remove(&number)),
                3..6 => {
                    *slots.entry(number) = turn;
                    table.insert(number, turn);
                }
                _ => assert_eq!(slots.get(number), table.get_mut(&number)),
            }
            assert_eq!(slots.get_cached(number), table.get_mut(&number));
            if turn % 5_000 == 0 {
                slots.retain(|value| *value % 3 > 0);
                table.retain(|_, value| *value % 3 > 0);
                assert_eq!(slots.get_cached(number), table.get_mut(&number));
            }
            assert_eq!(slots.is_empty(), table.is_empty());
        }
        let mut left: Vec<_> = slots.all().copied().filter(|&turn| turn > 0).collect();
        let mut right: Vec<_> = table.values().copied().filter(|&turn| turn > 0).collect();
        left.sort_unstable();
        right.sort_unstable();
        assert_eq!(left, right);
    }
}
