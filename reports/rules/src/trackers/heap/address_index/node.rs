//! A few hundred runs in order.

/// Runs of a shelf at most: to make room for one moves no more than some kilobytes, however many shelves there are.
pub const SHELF: usize = 512;

/// Which runs they are, and the first address of each: none is empty.
#[derive(Default)]
pub struct Shelf {
    firsts: Vec<u64>,
    order: Vec<u32>,
}

impl Shelf {
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
    pub fn begin(&mut self, run: usize, first: u64) {
        self.firsts[run] = first;
    }

    /// One more, which lies at `place`.
    pub fn insert(&mut self, run: usize, first: u64, place: u32) {
        self.firsts.insert(run, first);
        self.order.insert(run, place);
    }

    /// One less. Gives back where it lies.
    pub fn remove(&mut self, run: usize) -> u32 {
        self.firsts.remove(run);
        self.order.remove(run)
    }

    /// The runs from that one on.
    pub fn split_off(&mut self, run: usize) -> Self {
        Self {
            firsts: self.firsts.split_off(run),
            order: self.order.split_off(run),
        }
    }

    /// Those of another behind its own.
    pub fn append(&mut self, mut behind: Self) {
        self.firsts.append(&mut behind.firsts);
        self.order.append(&mut behind.order);
    }
}
