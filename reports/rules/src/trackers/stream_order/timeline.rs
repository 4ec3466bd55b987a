//! A stream's timeline: its last operation, and what has completed before its next one.

use super::epoch::Epoch;
use super::host_clock::HostClock;
use super::shared_clock::{ClockPool, SharedClock};
use super::sync_var::EventRecord;
use crate::evidence::race::TimelineKind;

/// The timeline of one stream.
#[derive(Default)]
pub(super) struct Timeline {
    /// Time of its latest operation.
    pub now: u64,
    /// Operations that completed before its next one: the host's clock at `version`, and what its waits acquired up to
    /// its own time `acquired_at`. The entry for the timeline itself may be stale.
    pub clock: SharedClock,
    pub acquired_at: u64,
    /// The version of the host's clock that is included.
    pub version: u64,
    /// Whether its next operation may be after something that is not queued yet.
    pub is_uncertain: bool,
    /// Whether the call that created the stream was seen.
    pub is_creation_seen: bool,
    pub kind: TimelineKind,
    pub device: i32,
}

impl Timeline {
    /// Queues one operation and returns its time. `index` is the timeline's own index.
    #[inline(always)]
    pub fn advance(&mut self, index: usize, host: &HostClock, pool: &mut ClockPool) -> u64 {
        self.now += 1;
        if self.version != host.version {
            self.acquire_host(index, host, pool);
        }
        self.now
    }

    /// Acquires the host's clock.
    #[inline(never)]
    fn acquire_host(&mut self, index: usize, host: &HostClock, pool: &mut ClockPool) {
        match pool.get(&host.clock, index) >= self.acquired_at {
            true => self.clock = host.clock,
            false => pool.join(&mut self.clock, &host.clock),
        }
        self.version = host.version;
    }

    /// Overwrites `record` with the operation at `origin`.
    #[inline(always)]
    pub fn release_to(&self, origin: Epoch, record: &mut EventRecord) {
        record.clock = self.clock;
        record.origin = Some(origin);
        record.version = self.version;
        record.is_uncertain = self.is_uncertain;
    }

    /// Acquires a record. The caller then advances the timeline by the wait itself.
    #[inline(always)]
    pub fn acquire(&mut self, index: usize, record: &EventRecord, pool: &mut ClockPool) {
        self.is_uncertain |= record.is_uncertain;
        if record.is_from(index) {
            return;
        }
        // Whether the record includes everything acquired here, by waits and from the host.
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

/// The end of a stream's timeline, where its next operation is pushed.
pub(super) struct StreamTail<'a> {
    pub index: usize,
    pub timeline: &'a mut Timeline,
    pub host: &'a HostClock,
    pub pool: &'a mut ClockPool,
}

impl StreamTail<'_> {
    /// Pushes the operation.
    #[inline(always)]
    pub fn push(self) -> (Epoch, TimelineKind) {
        let time = self.timeline.advance(self.index, self.host, self.pool);
        let timeline = self.index;
        (Epoch { timeline, time }, self.timeline.kind)
    }
}
