//! Growing and shrinking a shard. Entries move within their vector, so only new pages are touched.

use super::{FIRST, SHARDS, SPARSEST, ShardSlots, TAIL, position};

impl ShardSlots {
    /// Adds positions; `false` if there is no memory, or if more positions would not help.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self) -> bool {
        if self.positions > SPARSEST * (self.used() + FIRST) {
            return false; // No room is enough for keys crafted to collide.
        }
        // Shards start with different numbers of positions, so they never grow at the same time.
        let first = FIRST + FIRST * usize::from(self.shard) / (5 * SHARDS);
        self.resize(first.max(self.positions + self.positions / 5))
    }

    /// Returns memory that is no longer needed.
    pub fn shrink(&mut self) {
        if self.positions > 2 * FIRST && self.used() < self.positions / 3 {
            self.resize(self.positions / 2);
        }
    }

    /// Returns whether there was memory.
    fn resize(&mut self, positions: usize) -> bool {
        let mut positions = positions;
        while self.list.grow_in_place(positions + TAIL) {
            if self.spread(positions) {
                self.list.truncate(positions + TAIL);
                self.positions = positions;
                return true;
            }
            positions += positions / 5;
        }
        self.spread(self.positions);
        false
    }

    /// Moves all entries to their positions among `positions`. Returns `false`, with no entry lost, if they do not fit
    /// before the end.
    fn spread(&mut self, positions: usize) -> bool {
        // First move all to the end; from there each moves to the front or stays.
        let mut end = self.list.len();
        for at in (0..end).rev() {
            if !self.list[at].is_empty() {
                end -= 1;
                self.list.swap(at, end);
            }
        }
        let mut next = 0;
        for from in end..self.list.len() {
            let at = next.max(position(self.list[from].rest(), positions));
            if at >= positions + TAIL || at > from {
                return false; // The entries after it have no room.
            }
            self.list.swap(from, at);
            next = at + 1;
        }
        true
    }
}
