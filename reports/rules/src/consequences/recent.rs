//! The last of many things: a bounded queue.

use std::collections::VecDeque;

/// The last `MOST` items.
#[derive(Debug)]
pub(super) struct Recent<T, const MOST: usize>(VecDeque<T>);

impl<T, const MOST: usize> Default for Recent<T, MOST> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T, const MOST: usize> Recent<T, MOST> {
    /// Adds an item in place of the oldest.
    pub fn push(&mut self, item: T) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(item);
    }

    /// The items, latest first.
    pub fn latest_first(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev()
    }

    /// Removes the latest item that `is_meant` accepts.
    pub fn take(&mut self, is_meant: impl FnMut(&T) -> bool) -> Option<T> {
        let at = self.0.iter().rposition(is_meant)?;
        self.0.remove(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let mut recent = Recent::<u32, 2>::default();
        for item in 1..=3 {
            recent.push(item);
        }
        assert!(recent.latest_first().eq(&[3, 2]));
        assert_eq!(recent.take(|item| *item < 3), Some(2));
        assert!(recent.latest_first().eq(&[3]));
    }
}
