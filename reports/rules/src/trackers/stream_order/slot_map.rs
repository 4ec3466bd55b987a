//! Things by number, each in a room of its own that is used again.
//!
//! A number is looked for from the place on that its hash names: with three quarters of the places empty, the first one mostly has it.

use aclsan_log::BlockId;

use crate::api::fast_hash::hash;

/// What rooms are found by.
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

/// What an empty place has for a room.
const EMPTY: u32 = u32::MAX;

/// Which room each number has.
pub(super) struct Places<K> {
    /// None, or a power of two, at least four times as many as there are numbers.
    places: Vec<(K, u32)>,
    count: usize,
    /// What was looked for last, or changed: see [`Places::find_again`].
    latest: (K, u32),
}

impl<K: Number> Default for Places<K> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            count: 0,
            latest: (K::default(), EMPTY),
        }
    }
}

impl<K: Number> Places<K> {
    /// The room of a number, mostly at the first place that is looked at; where there is none, one that nothing has.
    #[inline(always)]
    pub fn find(&self, number: K) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        let at = first(number) & mask;
        match self.places.get(at) {
            Some(&(known, room)) if known == number => room as usize,
            _ => self.find_from(at, number),
        }
    }

    /// The same of a number that is mostly asked for several times in a row.
    #[inline(always)]
    pub fn find_again(&mut self, number: K) -> usize {
        if number != self.latest.0 {
            self.latest = (number, self.find(number) as u32);
        }
        self.latest.1 as usize
    }

    #[inline(never)]
    fn find_from(&self, mut at: usize, number: K) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        while let Some(&(known, room)) = self.places.get(at) {
            if known == number || room == EMPTY {
                return room as usize;
            }
            at = (at + 1) & mask;
        }
        EMPTY as usize
    }

    fn place(&self, number: K) -> Option<usize> {
        let mask = self.places.len().wrapping_sub(1);
        let mut at = first(number) & mask;
        loop {
            match *self.places.get(at)? {
                (_, EMPTY) => return None,
                (known, _) if known == number => return Some(at),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Gives a number a room, in place of any that it has.
    #[inline(never)]
    pub fn put(&mut self, number: K, room: u32) {
        self.latest = (number, room);
        if let Some(at) = self.place(number) {
            self.places[at].1 = room;
            return;
        }
        if 4 * (self.count + 1) > self.places.len() {
            let room = (2 * self.places.len()).max(16);
            let before = std::mem::replace(&mut self.places, vec![(K::default(), EMPTY); room]);
            for (number, room) in before.into_iter().filter(|place| place.1 != EMPTY) {
                self.put_new(number, room);
            }
        }
        self.put_new(number, room);
        self.count += 1;
    }

    /// Puts a number that there is not where it will be looked for.
    fn put_new(&mut self, number: K, room: u32) {
        let mask = self.places.len() - 1;
        let mut at = first(number) & mask;
        while self.places[at].1 != EMPTY {
            at = (at + 1) & mask;
        }
        self.places[at] = (number, room);
    }

    /// Takes a number out; its room.
    pub fn remove(&mut self, number: K) -> Option<u32> {
        let mut gap = self.place(number)?;
        let room = self.places[gap].1;
        self.latest = (number, EMPTY);
        // Those behind it that would be looked for at its place, or before, move up.
        let mask = self.places.len() - 1;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let (other, other_room) = self.places[at];
            if other_room == EMPTY {
                break;
            }
            let away = at.wrapping_sub(first(other)) & mask;
            if away >= at.wrapping_sub(gap) & mask {
                self.places[gap] = (other, other_room);
                gap = at;
            }
        }
        self.places[gap] = (K::default(), EMPTY);
        self.count -= 1;
        Some(room)
    }

    /// Keeps those whose rooms are wanted.
    fn retain(&mut self, mut is_wanted: impl FnMut(u32) -> bool) {
        let empty = vec![(K::default(), EMPTY); self.places.len()];
        let before = std::mem::replace(&mut self.places, empty);
        for (number, room) in before.into_iter().filter(|place| place.1 != EMPTY) {
            match is_wanted(room) {
                true => self.put_new(number, room),
                false => self.count -= 1,
            }
        }
        let any = K::default();
        self.latest = (any, self.find(any) as u32);
    }
}

/// A table by number. Memory goes with the most that there were at once.
pub(super) struct Rooms<K, T> {
    places: Places<K>,
    rooms: Vec<T>,
    free: Vec<u32>,
}

impl<K: Number, T> Default for Rooms<K, T> {
    fn default() -> Self {
        Self {
            places: Places::default(),
            rooms: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K: Number, T: Default> Rooms<K, T> {
    /// What there is of that number.
    #[inline(always)]
    pub fn get(&mut self, number: K) -> Option<&mut T> {
        self.rooms.get_mut(self.places.find(number))
    }

    /// The room that a number has.
    pub fn room(&self, number: K) -> Option<u32> {
        let room = self.places.find(number) as u32;
        (room != EMPTY).then_some(room)
    }

    /// What is in a room: of whichever number that is now, or of none.
    #[inline(always)]
    pub fn in_room(&mut self, room: u32) -> Option<&mut T> {
        self.rooms.get_mut(room as usize)
    }

    /// The same of a number that is mostly asked for several times in a row.
    #[inline(always)]
    pub fn get_again(&mut self, number: K) -> Option<&mut T> {
        self.rooms.get_mut(self.places.find_again(number))
    }

    /// The same, made if there is nothing.
    #[inline]
    pub fn entry(&mut self, number: K) -> &mut T {
        let mut room = self.places.find(number);
        if room == EMPTY as usize {
            room = self.add(number);
        }
        &mut self.rooms[room]
    }

    /// The same; `None` if there is nothing, and `most` of others.
    pub fn entry_within(&mut self, number: K, most: usize) -> Option<&mut T> {
        let mut room = self.places.find(number);
        if room == EMPTY as usize {
            if self.places.count >= most {
                return None;
            }
            room = self.add(number);
        }
        self.rooms.get_mut(room)
    }

    /// Takes it out.
    pub fn remove(&mut self, number: K) -> Option<T> {
        let room = self.places.remove(number)?;
        self.free.push(room);
        Some(std::mem::take(&mut self.rooms[room as usize]))
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&mut T) -> bool) {
        let (rooms, free) = (&mut self.rooms, &mut self.free);
        self.places.retain(|room| {
            let known = &mut rooms[room as usize];
            let is_kept = is_wanted(known);
            if !is_kept {
                *known = T::default();
                free.push(room);
            }
            is_kept
        });
    }

    /// All of them, and nothing for each room that is free.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.rooms.iter()
    }

    /// How many rooms there are, those that are free among them.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.rooms.len()
    }

    /// Whether there is nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.places.count == 0
    }

    #[inline(never)]
    fn add(&mut self, number: K) -> usize {
        let room = self.free.pop().unwrap_or(self.rooms.len() as u32);
        if room as usize == self.rooms.len() {
            self.rooms.push(T::default());
        }
        self.places.put(number, room);
        room as usize
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
        let mut rooms = Rooms::<u64, Vec<u8>>::default();
        assert_eq!(rooms.get(7), None);
        assert_eq!(rooms.remove(7), None);
        rooms.entry(7).push(1);
        assert_eq!(rooms.get(7), Some(&mut vec![1]));
        assert_eq!(rooms.remove(7), Some(vec![1]));
        assert_eq!(rooms.get(7), None);
        assert_eq!(rooms.remove(7), None);
        assert!(rooms.entry(8).is_empty());
        rooms.entry(9).push(2);
        assert_eq!(rooms.count(), 2);
    }

    #[test]
    fn what_is_not_wanted_goes() {
        let mut rooms = Rooms::<u64, u64>::default();
        for number in 0..10 {
            *rooms.entry(number) = number;
        }
        rooms.retain(|number| *number % 2 == 0);
        assert_eq!(rooms.all().sum::<u64>(), 2 + 4 + 6 + 8);
        assert_eq!(rooms.get(9), None);
        assert_eq!(rooms.get(8), Some(&mut 8));
        assert_eq!(rooms.entry_within(11, 5), None);
        assert_eq!(rooms.entry_within(8, 5), Some(&mut 8));
        assert_eq!(*rooms.entry(9), 0);
        assert_eq!((rooms.count(), rooms.is_empty()), (10, false));
    }

    #[test]
    fn it_has_what_any_table_has() {
        let (mut rooms, mut table) = (Rooms::<u64, u64>::default(), HashMap::new());
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for turn in 0..200_000_u64 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // 300 numbers, addresses of pages and small ones: sometimes all of them are there.
            let number = (random % 300) << ((random >> 32) % 2 * 12);
            match (random >> 40) % 8 {
                0..3 => assert_eq!(rooms.remove(number), table.remove(&number)),
                3..6 => {
                    *rooms.entry(number) = turn;
                    table.insert(number, turn);
                }
                _ => assert_eq!(rooms.get(number), table.get_mut(&number)),
            }
            assert_eq!(rooms.get_again(number), table.get_mut(&number));
            if turn % 5_000 == 0 {
                rooms.retain(|value| *value % 3 > 0);
                table.retain(|_, value| *value % 3 > 0);
                assert_eq!(rooms.get_again(number), table.get_mut(&number));
            }
            assert_eq!(rooms.is_empty(), table.is_empty());
        }
        let mut left: Vec<_> = rooms.all().copied().filter(|&turn| turn > 0).collect();
        let mut right: Vec<_> = table.values().copied().filter(|&turn| turn > 0).collect();
        left.sort_unstable();
        right.sort_unstable();
        assert_eq!(left, right);
    }
}
