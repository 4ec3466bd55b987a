//! A few hundred runs in order.

/// Runs of a shelf at most: to make room for one moves no more than some kilobytes, however many shelves there are.
pub const NODE_LEN: usize = 512;

/// Which runs they are, and the first address of each: none is empty.
#[derive(Default)]
pub struct Node {
    firsts: Vec<u64>,
    order: Vec<u32>,
}

impl Node {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The first address of each.
    #[inline]
    pub fn firsts(&self) -> &[u64] {
        &self.firsts
    }

    /// Where each lies.
    #[inline]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// A run begins with another address.
    pub fn set_first(&mut self, leaf: usize, first: u64) {
        self.firsts[leaf] = first;
    }

    /// One more, which lies at `place`.
    pub fn insert(&mut self, leaf: usize, first: u64, place: u32) {
        self.firsts.insert(leaf, first);
        self.order.insert(leaf, place);
    }

    /// One less. Gives back where it lies.
    pub fn remove(&mut self, leaf: usize) -> u32 {
        self.firsts.remove(leaf);
        self.order.remove(leaf)
    }

    /// The runs from that one on.
    pub fn split_off(&mut self, leaf: usize) -> Self {
        Self {
            firsts: self.firsts.split_off(leaf),
            order: self.order.split_off(leaf),
        }
    }

    /// Those of another behind its own.
    pub fn append(&mut self, mut next: Self) {
        self.firsts.append(&mut next.firsts);
        self.order.append(&mut next.order);
    }
}
