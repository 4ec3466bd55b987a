//! A stream's line: what it has done, and what is done before its next operation.

use super::epoch::Point;
use super::host_clock::Host;
use super::shared_clock::{Known, Shelf};
use super::sync_var::Record;
use crate::evidence::race::Lane;

/// One of them.
#[derive(Default)]
pub(super) struct Line {
    /// Its latest operation.
    pub now: u64,
    /// What is done before its next one: what the host knew at `version`, and what it learnt by waits up to the time `learnt` of its own.
    /// What it has of the line itself may be old.
    pub known: Known,
    pub learnt: u64,
    /// Which state of the host's knowledge it has taken over.
    pub version: u64,
    /// Whether what it does next may be after something that is not queued yet.
    pub is_doubtful: bool,
    /// Whether its making was seen.
    pub is_seen: bool,
    pub lane: Lane,
    pub device: i32,
}

impl Line {
    /// The time of its next operation, which is queued now. `index` is its place among the lines.
    #[inline(always)]
    pub fn step(&mut self, index: usize, host: &Host, shelf: &mut Shelf) -> u64 {
        self.now += 1;
        if self.version != host.version {
            self.follow(index, host, shelf);
        }
        self.now
    }

    /// Knows what the host knows now.
    #[inline(never)]
    fn follow(&mut self, index: usize, host: &Host, shelf: &mut Shelf) {
        match shelf.get(&host.known, index) >= self.learnt {
            true => self.known = host.known,
            false => shelf.join(&mut self.known, &host.known),
        }
        self.version = host.version;
    }

    /// A record of it, its operation at that point, takes the place of another.
    #[inline(always)]
    pub fn record(&self, origin: Point, record: &mut Record) {
        record.known = self.known;
        record.origin = Some(origin);
        record.version = self.version;
        record.is_doubtful = self.is_doubtful;
    }

    /// Waits for what a record has left; then it makes its next step.
    #[inline(always)]
    pub fn take(&mut self, index: usize, record: &Record, shelf: &mut Shelf) {
        self.is_doubtful |= record.is_doubtful;
        if record.is_of(index) {
            return;
        }
        // Whether the record has all that this line has learnt, by waits and from the host.
        let is_more =
            record.version >= self.version && shelf.get(&record.known, index) >= self.learnt;
        match is_more {
            true => self.known = record.known,
            false if record.is_in(&self.known, shelf) => return,
            false => shelf.join(&mut self.known, &record.known),
        }
        if let Some(origin) = record.origin {
            shelf.learn(&mut self.known, origin);
        }
        self.version = self.version.max(record.version);
        self.learnt = self.now + 1;
    }
}

/// The end of a stream's line, where its next operation goes.
pub(super) struct Behind<'a> {
    pub index: usize,
    pub line: &'a mut Line,
    pub host: &'a Host,
    pub shelf: &'a mut Shelf,
}

impl Behind<'_> {
    /// It is there.
    #[inline(always)]
    pub fn queue(self) -> (Point, Lane) {
        let time = self.line.step(self.index, self.host, self.shelf);
        let line = self.index;
        (Point { line, time }, self.line.lane)
    }
}
