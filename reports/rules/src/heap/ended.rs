//! Which blocks have ended and are still known, oldest first.

use std::collections::VecDeque;

use super::ENDED_MOST;
use super::slot::Slot;

/// Entries that are kept at most, those that stand for nothing any more among them.
const ENTRIES_MOST: usize = 4 * ENDED_MOST;

/// A block, by its slot and the low half of its [`order`](super::Held::order): with another order the slot has another block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The number of its slot.
    pub at: u32,
    order: u32,
}

impl Entry {
    /// Of the block in a slot.
    #[inline]
    pub fn of(at: u32, order: u64) -> Self {
        let order = order as u32;
        Self { at, order }
    }

    /// Whether its slot, which this is, has that block still, and it has ended.
    #[inline]
    pub fn is_in(self, slot: &Slot) -> bool {
        slot.has_ended() && Self::of(self.at, slot.order()) == self
    }
}

/// The queue. An entry whose block lives again, or has lost its memory to another, goes at once where it is at either end, and else when
/// its turn comes.
#[derive(Default)]
pub struct Ended {
    /// The last one, which mostly goes before another comes.
    newest: Option<Entry>,
    queue: VecDeque<Entry>,
    /// Entries that stand for nothing any more.
    idle: usize,
}

impl Ended {
    /// A block has ended.
    #[inline(always)]
    pub fn push(&mut self, entry: Entry) {
        if let Some(before) = self.newest.replace(entry) {
            self.queue.push_back(before);
        }
    }

    /// A block that had ended is not so any more.
    #[inline(always)]
    pub fn gone(&mut self, entry: Entry) {
        match self.newest == Some(entry) {
            true => self.newest = None,
            false => self.gone_from_queue(entry),
        }
    }

    #[inline(never)]
    fn gone_from_queue(&mut self, entry: Entry) {
        if self.queue.back() == Some(&entry) {
            self.queue.pop_back();
        } else if self.queue.front() == Some(&entry) {
            self.queue.pop_front();
        } else {
            self.idle += 1;
        }
    }

    /// Whether [`Ended::overdue`] has anything to do: asked behind [`Ended::push`].
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.queue.len() >= ENDED_MOST
    }

    /// The oldest that is one too many; `is_ended` says whether an entry stands for something.
    pub fn overdue(&mut self, is_ended: impl Fn(Entry) -> bool) -> Option<Entry> {
        if self.queue.len() >= ENTRIES_MOST {
            self.queue.retain(|&entry| is_ended(entry));
            self.idle = 0;
        }
        while self.queue.len() + usize::from(self.newest.is_some()) > ENDED_MOST + self.idle {
            let oldest = self.queue.pop_front()?;
            if is_ended(oldest) {
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
        Entry { at, order: 7 }
    }

    #[test]
    fn those_that_came_back_do_not_count() {
        let mut ended = Ended::default();
        let most = ENDED_MOST as u32;
        (0..=most).for_each(|at| ended.push(entry(at)));
        ended.gone(entry(0)); // at the front
        ended.gone(entry(most)); // at the back
        ended.gone(entry(1));
        let is_ended = |known: Entry| known != entry(1);
        // `most` + 1 came, three have gone: two more may come.
        for at in [most + 1, most + 2] {
            ended.push(entry(at));
            assert_eq!(ended.overdue(is_ended), None);
        }
        ended.push(entry(most + 3));
        assert_eq!(
            ended.overdue(is_ended),
            Some(entry(2)),
            "1 stands for nothing"
        );
        assert_eq!((ended.overdue(is_ended), ended.idle), (None, 0));
    }

    #[test]
    fn entries_that_stand_for_nothing_are_bounded() {
        let mut ended = Ended::default();
        for at in 0..10 * ENDED_MOST as u32 {
            ended.push(entry(2 * at));
            ended.push(entry(2 * at + 1));
            ended.gone(entry(2 * at));
            ended.gone(entry(2 * at + 1));
            assert_eq!(ended.overdue(|_| false), None);
            assert!(ended.queue.len() <= ENTRIES_MOST);
        }
    }
}
