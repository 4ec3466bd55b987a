//! A few addresses in order, and their slots.

use std::array;

/// Addresses of a run at most.
pub const LEAF_LEN: usize = 32;
/// Addresses of a cache line.
const CACHE_LINE: usize = 8;

const _: () = assert!(LEAF_LEN.is_multiple_of(CACHE_LINE));

/// Addresses in order; a search reads no slots. Behind the last address come the highest numbers.
#[repr(align(64))]
pub struct Leaf {
    starts: [u64; LEAF_LEN],
    slots: [u32; LEAF_LEN],
    len: usize,
}

impl Leaf {
    /// Of no addresses.
    pub const EMPTY: Self = Self {
        starts: [u64::MAX; LEAF_LEN],
        slots: [0; LEAF_LEN],
        len: 0,
    };

    /// The addresses.
    #[inline]
    pub fn starts(&self) -> &[u64] {
        &self.starts[..self.len]
    }

    /// The slots of each.
    pub fn slots(&self) -> &[u32] {
        &self.slots[..self.len]
    }

    /// How many lie before `end`: the first of each cache line, then those of one line. Nothing that is read waits for what was read before.
    #[inline]
    pub fn before(&self, end: u64) -> usize {
        let below = |starts: &[u64]| starts.iter().filter(|start| **start < end).count();
        let firsts: [u64; LEAF_LEN / CACHE_LINE - 1] =
            array::from_fn(|at| self.starts[(at + 1) * CACHE_LINE]);
        let line = below(&firsts) * CACHE_LINE;
        line + below(&self.starts[line..line + CACHE_LINE])
    }

    /// One more, for which there is room.
    #[inline]
    pub fn insert(&mut self, place: usize, start: u64, slot: u32) {
        self.starts.copy_within(place..self.len, place + 1);
        self.slots.copy_within(place..self.len, place + 1);
        (self.starts[place], self.slots[place]) = (start, slot);
        self.len += 1;
    }

    /// One less.
    pub fn remove(&mut self, place: usize) {
        self.starts.copy_within(place + 1..self.len, place);
        self.slots.copy_within(place + 1..self.len, place);
        self.len -= 1;
        self.starts[self.len] = u64::MAX;
    }

    /// The addresses from that one on.
    pub fn split_off(&mut self, place: usize) -> Self {
        let mut next = Self::EMPTY;
        next.append(&self.starts()[place..], &self.slots()[place..]);
        self.starts[place..].fill(u64::MAX);
        self.len = place;
        next
    }

    /// More behind its own, for which there is room.
    pub fn append(&mut self, starts: &[u64], slots: &[u32]) {
        let all = self.len..self.len + starts.len();
        self.starts[all.clone()].copy_from_slice(starts);
        self.slots[all.clone()].copy_from_slice(slots);
        self.len = all.end;
    }
}
