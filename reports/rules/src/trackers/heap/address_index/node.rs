//! A node: a few hundred leaves in order.

/// Capacity in leaves. Inserting one moves no more than some kilobytes, however many nodes there are.
pub const NODE_LEN: usize = 512;

/// The leaves of a node, and the first address of each. No leaf is empty.
#[derive(Default)]
pub struct Node {
    firsts: Vec<u64>,
    order: Vec<u32>,
}

impl Node {
    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The first address of each leaf.
    #[inline]
    pub fn firsts(&self) -> &[u64] {
        &self.firsts
    }

    /// The position of each leaf.
    #[inline]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The first address of a leaf changes.
    pub fn set_first(&mut self, leaf: usize, first: u64) {
        self.firsts[leaf] = first;
    }

    /// Inserts the leaf at position `place`.
    pub fn insert(&mut self, leaf: usize, first: u64, place: u32) {
        self.firsts.insert(leaf, first);
        self.order.insert(leaf, place);
    }

    /// Removes a leaf and returns its position.
    pub fn remove(&mut self, leaf: usize) -> u32 {
        self.firsts.remove(leaf);
        self.order.remove(leaf)
    }

    /// Splits off the leaves from `leaf` on.
    pub fn split_off(&mut self, leaf: usize) -> Self {
        Self {
            firsts: self.firsts.split_off(leaf),
            order: self.order.split_off(leaf),
        }
    }

    /// Appends the leaves of another node.
    pub fn append(&mut self, mut next: Self) {
        self.firsts.append(&mut next.firsts);
        self.order.append(&mut next.order);
    }
}
