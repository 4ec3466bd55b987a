//! A vector clock: for each timeline, the last operation known to have completed.

/// A vector clock. Missing timelines are at 0: nothing of them is known to have completed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VectorClock(Vec<u64>);

impl VectorClock {
    /// The last completed operation of `timeline`.
    #[inline]
    pub fn get(&self, timeline: usize) -> u64 {
        self.0.get(timeline).copied().unwrap_or(0)
    }

    /// Sets the time of `timeline`.
    #[inline]
    pub fn set(&mut self, timeline: usize, time: u64) {
        if self.0.len() <= timeline {
            self.0.resize(timeline + 1, 0);
        }
        self.0[timeline] = time;
    }

    /// Raises the time of `timeline` to at least `time`.
    #[inline]
    pub fn set_max(&mut self, timeline: usize, time: u64) {
        match self.0.get_mut(timeline) {
            Some(known) => *known = time.max(*known),
            None => self.set(timeline, time),
        }
    }

    /// Copies `other` into `self`, reusing the allocation.
    #[inline]
    pub fn assign(&mut self, other: &Self) {
        match self.0.len() == other.0.len() {
            true => self.0.copy_from_slice(&other.0),
            false => self.0.clone_from(&other.0),
        }
    }

    /// Takes the maximum of both clocks for each timeline.
    pub fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = theirs.max(*mine);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_takes_the_later_of_each_line() {
        let (mut left, mut right) = (VectorClock::default(), VectorClock::default());
        left.set(1, 5);
        right.set(1, 3);
        right.set(4, 2);
        left.join(&right);
        assert_eq!((left.get(1), left.get(4), left.get(9)), (5, 2, 0));
        left.set_max(1, 4);
        left.set_max(4, 3);
        left.set_max(7, 1);
        assert_eq!(
            [1, 4, 6, 7].map(|timeline| left.get(timeline)),
            [5, 3, 0, 1]
        );
    }
}
