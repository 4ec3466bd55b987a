//! How a shard comes to have more places, or fewer: its entries move within their list, so that only pages that are new have to be touched.

use super::{FIRST, SHARDS, SPARSEST, ShardSlots, TAIL, place};

impl ShardSlots {
    /// Makes more places; `false` where there is no memory for them, or where they would not help.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self) -> bool {
        if self.places > SPARSEST * (self.used + FIRST) {
            return false; // No room is enough for keys that were chosen so that their hashes are alike.
        }
        // Shards begin with different numbers of places, and so never grow at once.
        let first = FIRST + FIRST * self.shard / (5 * SHARDS);
        self.resize(first.max(self.places + self.places / 5))
    }

    /// Gives back what was needed once.
    pub fn shrink(&mut self) {
        if self.places > 2 * FIRST && self.used < self.places / 3 {
            self.resize(self.places / 2);
        }
    }

    /// Whether there was memory for that.
    fn resize(&mut self, places: usize) -> bool {
        let mut places = places;
        while self.list.grow_in_place(places + TAIL) {
            if self.spread(places) {
                self.list.truncate(places + TAIL);
                self.places = places;
                return true;
            }
            places += places / 5;
        }
        self.spread(self.places);
        false
    }

    /// Moves all entries to where they belong among so many places; `false`, and none lost, where the room behind the last place is short.
    fn spread(&mut self, places: usize) -> bool {
        // All to the end first: from there each goes to the front, or stays.
        let mut end = self.list.len();
        for at in (0..end).rev() {
            if !self.list[at].is_empty() {
                end -= 1;
                self.list.swap(at, end);
            }
        }
        let mut next = 0;
        for from in end..self.list.len() {
            let at = next.max(place(self.list[from].rest(), places));
            if at >= places + TAIL || at > from {
                return false; // What comes behind has no room.
            }
            self.list.swap(from, at);
            next = at + 1;
        }
        true
    }
}
