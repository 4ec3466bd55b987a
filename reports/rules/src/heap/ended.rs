//! Which blocks have ended and are still known, oldest first.

use std::collections::VecDeque;

use aclsan_log::BlockId;

use super::ENDED_MOST;

/// Entries that are kept at most, those that stand for nothing any more among them.
const ENTRIES_MOST: usize = 4 * ENDED_MOST;

/// The queue. An entry whose block lives again, or has lost its memory to another, goes at once where it is at either end, and else when
/// its turn comes.
#[derive(Default)]
pub struct Ended {
    queue: VecDeque<BlockId>,
    /// Entries that stand for nothing any more.
    idle: usize,
}

impl Ended {
    /// A block has ended.
    #[inline]
    pub fn push(&mut self, id: BlockId) {
        self.queue.push_back(id);
    }

    /// A block that had ended is not so any more.
    #[inline]
    pub fn gone(&mut self, id: BlockId) {
        if self.queue.back() == Some(&id) {
            self.queue.pop_back();
        } else if self.queue.front() == Some(&id) {
            self.queue.pop_front();
        } else {
            self.idle += 1;
        }
    }

    /// Whether [`Ended::overdue`] has anything to do.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.queue.len() > ENDED_MOST
    }

    /// The oldest that is one too many; `is_ended` says whether an entry stands for something.
    pub fn overdue(&mut self, is_ended: impl Fn(BlockId) -> bool) -> Option<BlockId> {
        if self.queue.len() > ENTRIES_MOST {
            self.queue.retain(|&id| is_ended(id));
            self.idle = 0;
        }
        while self.queue.len() > ENDED_MOST + self.idle {
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

    #[test]
    fn those_that_came_back_do_not_count() {
        let mut ended = Ended::default();
        let most = ENDED_MOST as u64;
        (0..=most).for_each(|id| ended.push(BlockId(id)));
        ended.gone(BlockId(0)); // at the front
        ended.gone(BlockId(most)); // at the back
        ended.gone(BlockId(1));
        let is_ended = |id: BlockId| id != BlockId(1);
        // `most` + 1 came, three have gone: two more may come.
        for id in [most + 1, most + 2] {
            ended.push(BlockId(id));
            assert_eq!(ended.overdue(is_ended), None);
        }
        ended.push(BlockId(most + 3));
        assert_eq!(
            ended.overdue(is_ended),
            Some(BlockId(2)),
            "1 stands for nothing"
        );
        assert_eq!((ended.overdue(is_ended), ended.idle), (None, 0));
    }

    #[test]
    fn entries_that_stand_for_nothing_are_bounded() {
        let mut ended = Ended::default();
        for id in 0..10 * ENDED_MOST as u64 {
            ended.push(BlockId(2 * id));
            ended.push(BlockId(2 * id + 1));
            ended.gone(BlockId(2 * id));
            ended.gone(BlockId(2 * id + 1));
            assert_eq!(ended.overdue(|_| false), None);
            assert!(ended.queue.len() <= ENTRIES_MOST);
        }
    }
}
