//! What the host knows.

use super::clock::Clock;
use super::marks::Mark;

/// What the host knows is done.
#[derive(Default)]
pub(super) struct Host {
    pub clock: Clock,
    /// Counts what it learnt.
    pub version: u64,
}

impl Host {
    /// A record is met.
    pub fn learn(&mut self, mark: &Mark) {
        if !mark.is_in(&self.clock) {
            self.learn_clock(&mark.clock, mark.version);
        }
    }

    /// What `clock` knows is done. It has what the host knew at `version`.
    pub fn learn_clock(&mut self, clock: &Clock, version: u64) {
        match version == self.version {
            true => self.clock.become_as(clock),
            false => self.clock.join(clock),
        }
        self.version += 1;
    }
}
