//! Freed blocks that are still known, oldest first.

use std::collections::VecDeque;

/// Freed blocks that are kept.
pub const MAX_FREED: usize = 1 << 16;

/// Entries that are kept, stale ones included.
const MAX_ENTRIES: usize = 4 * MAX_FREED;

/// Set in the order of each entry, so that none is 0.
const TAKEN: u32 = 1 << 31;

/// A block, by its slot and the low 31 bits of its [`order`](super::LiveBlock::order). If the slot's block has another
/// order, the entry is stale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Index of the slot.
    pub at: u32,
    order: u32,
}

impl Entry {
    /// The entry for the block in a slot.
    #[inline]
    pub fn of(at: u32, order: u64) -> Self {
        let order = order as u32 | TAKEN;
        Self { at, order }
    }
}

/// The queue. An entry becomes stale when its block lives again or loses its memory to another. At either end it is
/// removed immediately, elsewhere when its turn comes.
#[derive(Default)]
pub struct FreedQueue {
    /// The last entry, which is mostly removed before the next one comes.
    newest: Option<Entry>,
    queue: VecDeque<Entry>,
    /// By slot: the order of the queued entry that is not stale. Slots have that as well, but are far apart in memory.
    orders: Vec<u32>,
    /// Stale entries.
    idle: usize,
}

impl FreedQueue {
    /// A block was freed.
    #[inline(always)]
    pub fn push(&mut self, entry: Entry) {
        if let Some(before) = self.newest.replace(entry) {
            self.queue_up(before);
        }
    }

    #[inline(never)]
    fn queue_up(&mut self, entry: Entry) {
        self.queue.push_back(entry);
        let at = entry.at as usize;
        if self.orders.len() <= at {
            self.orders.resize(at + 1, 0);
        }
        self.orders[at] = entry.order;
    }

    /// A freed block lives again or is forgotten.
    #[inline(always)]
    pub fn remove(&mut self, entry: Entry) {
        match self.newest == Some(entry) {
            true => self.newest = None,
            false => self.remove_from_queue(entry),
        }
    }

    #[inline(never)]
    fn remove_from_queue(&mut self, entry: Entry) {
        if let Some(order) = self.orders.get_mut(entry.at as usize) {
            *order = 0;
        }
        if self.queue.back() == Some(&entry) {
            self.queue.pop_back();
        } else if self.queue.front() == Some(&entry) {
            self.queue.pop_front();
        } else {
            self.idle += 1;
        }
    }

    /// Whether [`FreedQueue::evict_oldest`] has anything to do. Called after [`FreedQueue::push`].
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.queue.len() >= MAX_FREED
    }

    /// Removes and returns the oldest block beyond the limit.
    pub fn evict_oldest(&mut self) -> Option<Entry> {
        let orders = &mut self.orders;
        if self.queue.len() >= MAX_ENTRIES {
            self.queue
                .retain(|entry| orders[entry.at as usize] == entry.order);
            self.idle = 0;
        }
        while self.queue.len() + usize::from(self.newest.is_some()) > MAX_FREED + self.idle {
            let oldest = self.queue.pop_front()?;
            let order = &mut orders[oldest.at as usize];
            if *order == oldest.order {
                *order = 0;
                return Some(oldest);
            }
            self.idle = self.idle.saturating_sub(1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: u32) -> Entry {
        Entry::of(at, 7)
    }

    #[test]
    fn those_that_came_back_do_not_count() {
        let mut ended = FreedQueue::default();
        let most = MAX_FREED as u32;
        (0..=most).for_each(|at| ended.push(entry(at)));
        ended.remove(entry(0)); // at the front
        ended.remove(entry(most)); // at the back
        ended.remove(entry(1));
        // `most` + 1 came and three have gone, so two more may come.
        for at in [most + 1, most + 2] {
            ended.push(entry(at));
            assert_eq!(ended.evict_oldest(), None);
        }
        ended.push(entry(most + 3));
        assert_eq!(ended.evict_oldest(), Some(entry(2)), "1 stands for nothing");
        assert_eq!((ended.evict_oldest(), ended.idle), (None, 0));
    }

    #[test]
    fn entries_that_stand_for_nothing_are_bounded() {
        let mut ended = FreedQueue::default();
        for at in 0..10 * MAX_FREED as u32 {
            ended.push(entry(2 * at));
            ended.push(entry(2 * at + 1));
            ended.remove(entry(2 * at));
            ended.remove(entry(2 * at + 1));
            assert_eq!(ended.evict_oldest(), None);
            assert!(ended.queue.len() <= MAX_ENTRIES);
        }
    }
}
