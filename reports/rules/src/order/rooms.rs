//! Things by number, each in a room of its own that is used again: what was asked for last is found without a search.

use std::hash::Hash;

use crate::numbers::ByNumber;

/// A table by number. Memory goes with the most that there were at once.
pub(super) struct Rooms<K, T> {
    places: ByNumber<K, usize>,
    rooms: Vec<T>,
    free: Vec<usize>,
    /// The number that was asked for last, and its room.
    latest: Option<(K, usize)>,
}

impl<K, T> Default for Rooms<K, T> {
    fn default() -> Self {
        Self {
            places: ByNumber::default(),
            rooms: Vec::new(),
            free: Vec::new(),
            latest: None,
        }
    }
}

impl<K: Copy + Eq + Hash, T: Default> Rooms<K, T> {
    /// What there is of that number.
    #[inline]
    pub fn get(&mut self, number: K) -> Option<&mut T> {
        let place = self.place(number)?;
        self.rooms.get_mut(place)
    }

    /// The same, made if there is nothing.
    #[inline]
    pub fn entry(&mut self, number: K) -> &mut T {
        let place = self.place(number).unwrap_or_else(|| self.add(number));
        &mut self.rooms[place]
    }

    /// The same; `None` if there is nothing, and `most` of others.
    #[inline]
    pub fn entry_within(&mut self, number: K, most: usize) -> Option<&mut T> {
        let has_room = self.places.len() < most || self.place(number).is_some();
        has_room.then(|| self.entry(number))
    }

    /// Takes it out.
    pub fn remove(&mut self, number: K) -> Option<T> {
        let place = self.places.remove(&number)?;
        self.latest = None;
        self.free.push(place);
        Some(std::mem::take(&mut self.rooms[place]))
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&mut T) -> bool) {
        self.latest = None;
        let (rooms, free) = (&mut self.rooms, &mut self.free);
        self.places.retain(|_, &mut place| {
            let stays = is_wanted(&mut rooms[place]);
            if !stays {
                rooms[place] = T::default();
                free.push(place);
            }
            stays
        });
    }

    /// All of them.
    #[cfg(test)]
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.places.values().map(|&place| &self.rooms[place])
    }

    /// How many rooms there are, those that are free among them.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.rooms.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    #[inline]
    fn place(&mut self, number: K) -> Option<usize> {
        match self.latest {
            Some((latest, place)) if latest == number => Some(place),
            _ => {
                let place = *self.places.get(&number)?;
                self.latest = Some((number, place));
                Some(place)
            }
        }
    }

    fn add(&mut self, number: K) -> usize {
        let place = self.free.pop().unwrap_or(self.rooms.len());
        if place == self.rooms.len() {
            self.rooms.push(T::default());
        }
        self.places.insert(number, place);
        self.latest = Some((number, place));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_empty_for_its_next_number() {
        let mut rooms = Rooms::<u64, Vec<u8>>::default();
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
        assert_eq!(*rooms.entry(9), 0);
        assert_eq!((rooms.count(), rooms.is_empty()), (10, false));
    }
}
