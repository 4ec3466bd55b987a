//! A leaf: a few addresses in order, and their slots.

use std::array;

/// Capacity in addresses.
pub const LEAF_LEN: usize = 32;
/// Addresses per cache line.
const CACHE_LINE: usize = 8;

const _: () = assert!(LEAF_LEN.is_multiple_of(CACHE_LINE));

/// Addresses in order, padded with the highest number. A search does not touch the slots.
#[repr(align(64))]
pub struct Leaf {
    starts: [u64; LEAF_LEN],
    slots: [u32; LEAF_LEN],
    len: usize,
}

impl Leaf {
    /// An empty leaf.
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

    /// Their slots.
    pub fn slots(&self) -> &[u32] {
        &self.slots[..self.len]
    }

    /// Number of addresses before `end`. Compares with the first address of each cache line, then with those of one
    /// line, so that no load depends on another.
    #[inline]
    pub fn before(&self, end: u64) -> usize {
        let below = |starts: &[u64]| starts.iter().filter(|start| **start < end).count();
        let firsts: [u64; LEAF_LEN / CACHE_LINE - 1] =
            array::from_fn(|at| self.starts[(at + 1) * CACHE_LINE]);
        let line = below(&firsts) * CACHE_LINE;
        line + below(&self.starts[line..line + CACHE_LINE])
    }

    /// Inserts an address. There must be room.
    #[inline]
    pub fn insert(&mut self, place: usize, start: u64, slot: u32) {
        self.starts.copy_within(place..self.len, place + 1);
        self.slots.copy_within(place..self.len, place + 1);
        (self.starts[place], self.slots[place]) = (start, slot);
        self.len += 1;
    }

    /// Removes an address.
    pub fn remove(&mut self, place: usize) {
        self.starts.copy_within(place + 1..self.len, place);
        self.slots.copy_within(place + 1..self.len, place);
        self.len -= 1;
        self.starts[self.len] = u64::MAX;
    }

    /// Splits off the addresses from `place` on.
    pub fn split_off(&mut self, place: usize) -> Self {
        let mut next = Self::EMPTY;
        next.append(&self.starts()[place..], &self.slots()[place..]);
        self.starts[place..].fill(u64::MAX);
        self.len = place;
        next
    }

    /// Appends addresses. There must be room.
    pub fn append(&mut self, starts: &[u64], slots: &[u32]) {
        let all = self.len..self.len + starts.len();
        self.starts[all.clone()].copy_from_slice(starts);
        self.slots[all.clone()].copy_from_slice(slots);
        self.len = all.end;
    }
}
