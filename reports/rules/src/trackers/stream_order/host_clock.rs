//! What the host knows.

use super::shared_clock::{Known, Shelf};
use super::sync_var::Record;

/// What the host knows is done.
#[derive(Default)]
pub(super) struct Host {
    pub known: Known,
    /// Counts what it learnt.
    pub version: u64,
}

impl Host {
    /// A record is met.
    pub fn learn(&mut self, record: &Record, shelf: &mut Shelf) {
        if !record.is_in(&self.known, shelf) {
            self.learn_known(&record.known, record.version, shelf);
            if let Some(origin) = record.origin {
                shelf.learn(&mut self.known, origin);
            }
        }
    }

    /// What `known` tells is done. It has what the host knew at `version`.
    pub fn learn_known(&mut self, known: &Known, version: u64, shelf: &mut Shelf) {
        match version == self.version {
            true => self.known = *known,
            false => shelf.join(&mut self.known, known),
        }
        self.version += 1;
    }
}
