//! What is known to be done: for each line, up to which of its operations.

/// A vector clock. A line that it does not have is at 0: nothing of it is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Clock(Vec<u64>);

impl Clock {
    /// How far it knows `line`.
    #[inline]
    pub fn get(&self, line: usize) -> u64 {
        self.0.get(line).copied().unwrap_or(0)
    }

    /// Knows `line` up to `time` from here on.
    #[inline]
    pub fn set(&mut self, line: usize, time: u64) {
        if self.0.len() <= line {
            self.0.resize(line + 1, 0);
        }
        self.0[line] = time;
    }

    /// Knows `line` up to `time` at least.
    #[inline]
    pub fn raise(&mut self, line: usize, time: u64) {
        match self.0.get_mut(line) {
            Some(known) => *known = time.max(*known),
            None => self.set(line, time),
        }
    }

    /// Knows what `other` knows and nothing else, in the room that it has.
    #[inline]
    pub fn become_as(&mut self, other: &Self) {
        match self.0.len() == other.0.len() {
            true => self.0.copy_from_slice(&other.0),
            false => self.0.clone_from(&other.0),
        }
    }

    /// Knows what `other` knows, too.
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
        let (mut left, mut right) = (Clock::default(), Clock::default());
        left.set(1, 5);
        right.set(1, 3);
        right.set(4, 2);
        left.join(&right);
        assert_eq!((left.get(1), left.get(4), left.get(9)), (5, 2, 0));
        left.raise(1, 4);
        left.raise(4, 3);
        left.raise(7, 1);
        assert_eq!([1, 4, 6, 7].map(|line| left.get(line)), [5, 3, 0, 1]);
    }
}
