//! Sync variables: what a record leaves for those who wait for it.

use super::epoch::Epoch;
use super::shared_clock::{ClockPool, SharedClock};
use super::vector_clock::VectorClock;

/// The clock of what has completed once a wait for the event returns.
#[derive(Default)]
pub(super) struct EventRecord {
    /// What the stream knew when it recorded the event.
    pub clock: SharedClock,
    /// The operation that summarizes the record, if there is one: it has completed as well.
    pub origin: Option<Epoch>,
    /// The version of the host's clock that is included.
    pub version: u64,
    /// Whether the record may also be after operations that were not seen.
    pub is_uncertain: bool,
}

impl EventRecord {
    /// Whether the record is the timeline's own; then the timeline already includes it.
    #[inline]
    pub fn is_from(&self, timeline: usize) -> bool {
        self.origin
            .is_some_and(|origin| origin.timeline == timeline)
    }

    /// Whether `known` already includes the whole record.
    #[inline]
    pub fn is_known_to(&self, known: &SharedClock, pool: &ClockPool) -> bool {
        self.origin
            .is_some_and(|origin| origin.time <= pool.get(known, origin.timeline))
    }
}

/// The same as [`EventRecord`] with a clock of its own, for whatever is no event.
#[derive(Clone, Default)]
pub(super) struct SyncVar {
    pub clock: VectorClock,
    /// The version of the host's clock that is included.
    pub version: u64,
    /// Whether it may also be after operations that were not seen.
    pub is_uncertain: bool,
}

impl SyncVar {
    /// Joins `other` into `self`.
    pub fn join(&mut self, other: &Self) {
        self.clock.join(&other.clock);
        self.version = self.version.max(other.version);
        self.is_uncertain |= other.is_uncertain;
    }

    /// Converts to a record, with its clock in the pool.
    pub fn to_record(&self, pool: &mut ClockPool) -> EventRecord {
        EventRecord {
            clock: pool.store(&self.clock),
            origin: None,
            version: self.version,
            is_uncertain: self.is_uncertain,
        }
    }
}
