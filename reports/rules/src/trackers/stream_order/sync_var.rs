//! What a record has left for those that wait for it.

use super::epoch::Point;
use super::shared_clock::{Known, Shelf};
use super::vector_clock::Clock;

/// What is done once an event is met.
#[derive(Default)]
pub(super) struct Record {
    /// What was known there.
    pub known: Known,
    /// The one operation that all of it comes down to, if there is one: it is done, too.
    pub origin: Option<Point>,
    /// Which state of the host's knowledge is in it.
    pub version: u64,
    /// Whether more may be behind it, of which nobody knows.
    pub is_doubtful: bool,
}

impl Record {
    /// Whether it is all of `line`'s own: then that has it.
    #[inline]
    pub fn is_of(&self, line: usize) -> bool {
        self.origin.is_some_and(|origin| origin.line == line)
    }

    /// Whether that is plain: `known` has all of it.
    #[inline]
    pub fn is_in(&self, known: &Known, shelf: &Shelf) -> bool {
        self.origin
            .is_some_and(|origin| origin.time <= shelf.get(known, origin.line))
    }
}

/// The same by itself, of whatever is no event.
#[derive(Clone, Default)]
pub(super) struct Mark {
    pub clock: Clock,
    /// Which state of the host's knowledge is in it.
    pub version: u64,
    /// Whether more may be behind it, of which nobody knows.
    pub is_doubtful: bool,
}

impl Mark {
    /// Is met by both.
    pub fn join(&mut self, other: &Self) {
        self.clock.join(&other.clock);
        self.version = self.version.max(other.version);
        self.is_doubtful |= other.is_doubtful;
    }

    /// The same as a record, on the shelf.
    pub fn record(&self, shelf: &mut Shelf) -> Record {
        Record {
            known: shelf.put(&self.clock),
            origin: None,
            version: self.version,
            is_doubtful: self.is_doubtful,
        }
    }
}
