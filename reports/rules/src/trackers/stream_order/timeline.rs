//! A stream's timeline: what it has done, and what is done before its next operation.

use super::epoch::Epoch;
use super::host_clock::HostClock;
use super::shared_clock::{ClockPool, SharedClock};
use super::sync_var::EventRecord;
use crate::evidence::race::TimelineKind;

/// One of them.
#[derive(Default)]
pub(super) struct Timeline {
    /// Its latest operation.
    pub now: u64,
    /// What is done before its next one: what the host knew at `version`, and what it acquired_at by waits up to the time `acquired_at` of its own.
    /// What it has of the timeline itself may be old.
    pub clock: SharedClock,
    pub acquired_at: u64,
    /// Which state of the host's knowledge it has taken over.
    pub version: u64,
    /// Whether what it does next may be after something that is not queued yet.
    pub is_uncertain: bool,
    /// Whether its making was seen.
    pub is_creation_seen: bool,
    pub kind: TimelineKind,
    pub device: i32,
}

impl Timeline {
    /// The time of its next operation, which is queued now. `index` is its place among the timelines.
    #[inline(always)]
    pub fn advance(&mut self, index: usize, host: &HostClock, pool: &mut ClockPool) -> u64 {
        self.now += 1;
        if self.version != host.version {
            self.acquire_host(index, host, pool);
        }
        self.now
    }

    /// Knows what the host knows now.
    #[inline(never)]
    fn acquire_host(&mut self, index: usize, host: &HostClock, pool: &mut ClockPool) {
        match pool.get(&host.clock, index) >= self.acquired_at {
            true => self.clock = host.clock,
            false => pool.join(&mut self.clock, &host.clock),
        }
        self.version = host.version;
    }

    /// A record of it, its operation at that epoch, takes the place of another.
    #[inline(always)]
    pub fn release_to(&self, origin: Epoch, record: &mut EventRecord) {
        record.clock = self.clock;
        record.origin = Some(origin);
        record.version = self.version;
        record.is_uncertain = self.is_uncertain;
    }

    /// Waits for what a record has left; then it makes its next step.
    #[inline(always)]
    pub fn acquire(&mut self, index: usize, record: &EventRecord, pool: &mut ClockPool) {
        self.is_uncertain |= record.is_uncertain;
        if record.is_from(index) {
            return;
        }
        // Whether the record has all that this timeline has acquired_at, by waits and from the host.
        let is_more =
            record.version >= self.version && pool.get(&record.clock, index) >= self.acquired_at;
        match is_more {
            true => self.clock = record.clock,
            false if record.is_known_to(&self.clock, pool) => return,
            false => pool.join(&mut self.clock, &record.clock),
        }
        if let Some(origin) = record.origin {
            pool.set_max(&mut self.clock, origin);
        }
        self.version = self.version.max(record.version);
        self.acquired_at = self.now + 1;
    }
}

/// The end of a stream's timeline, where its next operation goes.
pub(super) struct StreamTail<'a> {
    pub index: usize,
    pub timeline: &'a mut Timeline,
    pub host: &'a HostClock,
    pub pool: &'a mut ClockPool,
}

impl StreamTail<'_> {
    /// It is there.
    #[inline(always)]
    pub fn push(self) -> (Epoch, TimelineKind) {
        let time = self.timeline.advance(self.index, self.host, self.pool);
        let timeline = self.index;
        (Epoch { timeline, time }, self.timeline.kind)
    }
}
