//! The host's clock.

use super::shared_clock::{ClockPool, SharedClock};
use super::sync_var::EventRecord;

/// What the host knows to have completed.
#[derive(Default)]
pub(super) struct HostClock {
    pub clock: SharedClock,
    /// Counts the acquires.
    pub version: u64,
}

impl HostClock {
    /// Acquires a record.
    pub fn acquire(&mut self, record: &EventRecord, pool: &mut ClockPool) {
        if !record.is_known_to(&self.clock, pool) {
            self.acquire_clock(&record.clock, record.version, pool);
            if let Some(origin) = record.origin {
                pool.set_max(&mut self.clock, origin);
            }
        }
    }

    /// Acquires `clock`, which includes the host's clock at `version`.
    pub fn acquire_clock(&mut self, clock: &SharedClock, version: u64, pool: &mut ClockPool) {
        match version == self.version {
            true => self.clock = *clock,
            false => pool.join(&mut self.clock, clock),
        }
        self.version += 1;
    }
}
