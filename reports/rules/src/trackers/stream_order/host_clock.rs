//! What the host knows.

use super::shared_clock::{ClockPool, SharedClock};
use super::sync_var::EventRecord;

/// What the host knows is done.
#[derive(Default)]
pub(super) struct HostClock {
    pub clock: SharedClock,
    /// Counts what it acquired_at.
    pub version: u64,
}

impl HostClock {
    /// A record is met.
    pub fn acquire(&mut self, record: &EventRecord, pool: &mut ClockPool) {
        if !record.is_known_to(&self.clock, pool) {
            self.acquire_clock(&record.clock, record.version, pool);
            if let Some(origin) = record.origin {
                pool.set_max(&mut self.clock, origin);
            }
        }
    }

    /// What `clock` tells is done. It has what the host knew at `version`.
    pub fn acquire_clock(&mut self, clock: &SharedClock, version: u64, pool: &mut ClockPool) {
        match version == self.version {
            true => self.clock = *clock,
            false => pool.join(&mut self.clock, clock),
        }
        self.version += 1;
    }
}
