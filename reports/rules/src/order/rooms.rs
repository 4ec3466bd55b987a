//! Things by number, each in a room of its own that is used again.
//!
//! A number is looked for from the place on that its hash names: with half of the places empty, the first one mostly has it.

use aclsan_log::BlockId;

use crate::numbers::hash;

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

/// A table by number. Memory goes with the most that there were at once.
#[derive(Default)]
pub(super) struct Rooms<K, T> {
    /// Numbers and their rooms: none, or a power of two, at least twice as many as there are numbers.
    places: Vec<(K, u32)>,
    rooms: Vec<T>,
    free: Vec<u32>,
    count: usize,
    /// The number that was found last, and its room: it is mostly asked for again.
    latest: Option<(K, u32)>,
}

impl<K: Number, T: Default> Rooms<K, T> {
    /// What there is of that number.
    #[inline]
    pub fn get(&mut self, number: K) -> Option<&mut T> {
        let room = self.room(number)?;
        self.rooms.get_mut(room as usize)
    }

    /// The same, made if there is nothing.
    #[inline]
    pub fn entry(&mut self, number: K) -> &mut T {
        let room = match self.room(number) {
            Some(room) => room,
            None => self.add(number),
        };
        &mut self.rooms[room as usize]
    }

    /// The same; `None` if there is nothing, and `most` of others.
    #[inline]
    pub fn entry_within(&mut self, number: K, most: usize) -> Option<&mut T> {
        let room = match self.room(number) {
            Some(room) => room,
            None if self.count >= most => return None,
            None => self.add(number),
        };
        self.rooms.get_mut(room as usize)
    }

    /// Takes it out.
    pub fn remove(&mut self, number: K) -> Option<T> {
        let (mut gap, room) = self.find(number)?;
        self.latest = None;
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
        self.places[gap].1 = EMPTY;
        self.count -= 1;
        self.free.push(room);
        Some(std::mem::take(&mut self.rooms[room as usize]))
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&mut T) -> bool) {
        let empty = vec![(K::default(), EMPTY); self.places.len()];
        let before = std::mem::replace(&mut self.places, empty);
        self.latest = None;
        for (number, room) in before.into_iter().filter(|place| place.1 != EMPTY) {
            let known = &mut self.rooms[room as usize];
            match is_wanted(known) {
                true => self.put(number, room),
                false => {
                    *known = T::default();
                    self.free.push(room);
                    self.count -= 1;
                }
            }
        }
    }

    /// All of them.
    #[cfg(test)]
    pub fn values(&self) -> impl Iterator<Item = &T> {
        let used = self.places.iter().filter(|place| place.1 != EMPTY);
        used.map(|place| &self.rooms[place.1 as usize])
    }

    /// How many rooms there are, those that are free among them.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.rooms.len()
    }

    /// Whether there is nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The room of a number.
    #[inline]
    fn room(&mut self, number: K) -> Option<u32> {
        if let Some((latest, room)) = self.latest
            && latest == number
        {
            return Some(room);
        }
        let (_, room) = self.find(number)?;
        self.latest = Some((number, room));
        Some(room)
    }

    /// The place and the room of a number.
    #[inline]
    fn find(&self, number: K) -> Option<(usize, u32)> {
        let mask = self.places.len().wrapping_sub(1);
        let mut at = first(number) & mask;
        loop {
            let &(known, room) = self.places.get(at)?;
            if room == EMPTY {
                return None;
            }
            if known == number {
                return Some((at, room));
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(never)]
    fn add(&mut self, number: K) -> u32 {
        if 2 * (self.count + 1) > self.places.len() {
            let room = (2 * self.places.len()).max(16);
            let before = std::mem::replace(&mut self.places, vec![(K::default(), EMPTY); room]);
            for (number, room) in before.into_iter().filter(|place| place.1 != EMPTY) {
                self.put(number, room);
            }
        }
        let room = self.free.pop().unwrap_or(self.rooms.len() as u32);
        if room as usize == self.rooms.len() {
            self.rooms.push(T::default());
        }
        self.put(number, room);
        self.count += 1;
        room
    }

    /// Puts a number that there is not where it will be looked for.
    fn put(&mut self, number: K, room: u32) {
        let mask = self.places.len() - 1;
        let mut at = first(number) & mask;
        while self.places[at].1 != EMPTY {
            at = (at + 1) & mask;
        }
        self.places[at] = (number, room);
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
        assert_eq!(rooms.values().sum::<u64>(), 2 + 4 + 6 + 8);
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
            if turn % 5_000 == 0 {
                rooms.retain(|value| *value % 3 > 0);
                table.retain(|_, value| *value % 3 > 0);
            }
            assert_eq!(rooms.is_empty(), table.is_empty());
        }
        let mut left: Vec<_> = rooms.values().copied().collect();
        let mut right: Vec<_> = table.values().copied().collect();
        left.sort_unstable();
        right.sort_unstable();
        assert_eq!(left, right);
    }
}
