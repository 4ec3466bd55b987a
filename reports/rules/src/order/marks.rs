//! What a record has left for those that wait for it.

use super::clock::Clock;
use super::lines::Point;

/// What is done once it is met.
#[derive(Clone, Default)]
pub(super) struct Mark {
    pub clock: Clock,
    /// The one operation that all of it comes down to, if there is one.
    origin: Option<Point>,
    /// Which state of the host's knowledge is in it.
    pub version: u64,
    /// Whether more may be behind it, of which nobody knows.
    pub is_doubtful: bool,
}

impl Mark {
    /// Is what was known at `origin`: `clock`, and the operation itself.
    #[inline]
    pub fn become_as(&mut self, clock: &Clock, origin: Point, version: u64) {
        self.clock.become_as(clock);
        self.clock.set(origin.line, origin.time);
        self.origin = Some(origin);
        self.version = version;
    }

    /// Whether it is all of `line`'s own: then that has it.
    #[inline]
    pub fn is_of(&self, line: usize) -> bool {
        self.origin.is_some_and(|origin| origin.line == line)
    }

    /// Whether that is plain: `clock` has all of it.
    #[inline]
    pub fn is_in(&self, clock: &Clock) -> bool {
        self.origin
            .is_some_and(|origin| origin.time <= clock.get(origin.line))
    }

    /// Is met by both.
    pub fn join(&mut self, other: &Self) {
        self.clock.join(&other.clock);
        self.origin = None;
        self.version = self.version.max(other.version);
        self.is_doubtful |= other.is_doubtful;
    }
}
