//! What a record has left for those that wait for it.

use super::epoch::Epoch;
use super::shared_clock::{ClockPool, SharedClock};
use super::vector_clock::VectorClock;

/// What is done once an event is met.
#[derive(Default)]
pub(super) struct EventRecord {
    /// What was known there.
    pub clock: SharedClock,
    /// The one operation that all of it comes down to, if there is one: it is done, too.
    pub origin: Option<Epoch>,
    /// Which state of the host's knowledge is in it.
    pub version: u64,
    /// Whether more may be behind it, of which nobody knows.
    pub is_uncertain: bool,
}

impl EventRecord {
    /// Whether it is all of `timeline`'s own: then that has it.
    #[inline]
    pub fn is_from(&self, timeline: usize) -> bool {
        self.origin
            .is_some_and(|origin| origin.timeline == timeline)
    }

    /// Whether that is plain: `known` has all of it.
    #[inline]
    pub fn is_known_to(&self, known: &SharedClock, pool: &ClockPool) -> bool {
        self.origin
            .is_some_and(|origin| origin.time <= pool.get(known, origin.timeline))
    }
}

/// The same by itself, of whatever is no event.
#[derive(Clone, Default)]
pub(super) struct SyncVar {
    pub clock: VectorClock,
    /// Which state of the host's knowledge is in it.
    pub version: u64,
    /// Whether more may be behind it, of which nobody knows.
    pub is_uncertain: bool,
}

impl SyncVar {
    /// Is met by both.
    pub fn join(&mut self, other: &Self) {
        self.clock.join(&other.clock);
        self.version = self.version.max(other.version);
        self.is_uncertain |= other.is_uncertain;
    }

    /// The same as a record, on the pool.
    pub fn to_record(&self, pool: &mut ClockPool) -> EventRecord {
        EventRecord {
            clock: pool.store(&self.clock),
            origin: None,
            version: self.version,
            is_uncertain: self.is_uncertain,
        }
    }
}
