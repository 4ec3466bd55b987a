//! A process that is watched: its log is open until it has ended.

use std::path::PathBuf;
use std::time::Duration;

use super::Settings;
use super::ended::Ended;
use super::listing::{Listing, Stamp};
use super::observed::Observed;
use super::state::{Detail, Life, State};
use crate::symbols::Symbols;

/// For how long nothing is added to the log of a process that is gone before it is closed. The writer may be on another machine.
const QUIET: Duration = Duration::from_secs(5);

/// What tells logs apart, whatever their names: start by the clock, process, start tick. A log that is packed meanwhile is the same.
pub type Identity = (u64, u32, u64);

/// A watched process: its log while it runs, its last state once it has ended.
pub struct Followed {
    /// Tells it apart from all others that were ever followed.
    pub number: usize,
    pub identity: Identity,
    pub log: Log,
    /// Whether it was named by itself: then it is shown until we end.
    pub is_named: bool,
    /// The file when its log was closed; `None` if it was gone.
    closed: Option<Stamp>,
    /// Searches in a row that did not find the file.
    missed: u8,
}

/// Its log.
pub enum Log {
    Open(Box<Observed>),
    Closed(Box<Ended>),
}

impl Followed {
    /// A log that was found.
    pub fn new(number: usize, identity: Identity, observed: Observed, is_named: bool) -> Self {
        Self {
            number,
            identity,
            log: Log::Open(Box::new(observed)),
            is_named,
            closed: None,
            missed: 0,
        }
    }

    /// Where the log is.
    pub fn path(&self) -> PathBuf {
        match &self.log {
            Log::Open(observed) => observed.path().to_owned(),
            Log::Closed(ended) => ended.path().to_owned(),
        }
    }

    /// The log has another name now: it was packed.
    pub fn move_to(&mut self, path: PathBuf) {
        match &mut self.log {
            Log::Open(observed) => observed.move_to(path),
            Log::Closed(ended) => {
                (self.closed, self.missed) = (Stamp::of(&path), 0);
                ended.move_to(path);
            }
        }
    }

    /// Whether it has a descriptor.
    pub fn is_open(&self) -> bool {
        matches!(self.log, Log::Open(_))
    }

    /// Whether more events may follow.
    pub fn is_running(&self) -> bool {
        match &self.log {
            Log::Open(observed) => observed.is_running(),
            Log::Closed(_) => false,
        }
    }

    /// Takes note of a search. Returns whether the log has grown since it was closed: its writer could not be seen.
    pub fn note(&mut self, listing: &Listing) -> bool {
        if self.is_open() {
            return false;
        }
        let both = listing.stamp(&self.path()).zip(self.closed);
        match both.filter(|(found, closed)| found.is_same_file(closed)) {
            Some((found, closed)) => {
                self.missed = 0;
                found != closed
            }
            // One search may fall between the removal of a log and the listing of its packed form.
            None => {
                self.missed = self.missed.saturating_add(1);
                false
            }
        }
    }

    /// Whether the file is gone.
    pub fn is_lost(&self) -> bool {
        self.missed > 1
    }

    /// Reads a log that has grown again.
    pub fn reopen(&mut self, observed: Observed) {
        (self.closed, self.missed) = (None, 0);
        self.log = Log::Open(Box::new(observed));
    }

    /// Closes the log if nothing more is expected; at once if others wait for descriptors. Whether it is about to be closed, but was not yet.
    pub fn settle(
        &mut self,
        do_others_wait: bool,
        symbols: &mut Symbols,
        settings: &Settings,
    ) -> bool {
        let Log::Open(observed) = &mut self.log else {
            return false;
        };
        let is_over = observed.is_deleted()
            || match observed.life() {
                Life::Runs => false,
                Life::Exited => true,
                Life::Gone => do_others_wait || observed.quiet() >= QUIET,
                Life::Unknown => observed.quiet() >= settings.keep.max(QUIET),
            };
        if !is_over || observed.is_behind() {
            return false;
        }
        let Some(state) = observed.finish(self.number, symbols, &settings.suppressions) else {
            return true;
        };
        let path = observed.path().to_owned();
        self.closed = Stamp::of(&path);
        if let Some(ended) = Ended::new(path, state) {
            self.log = Log::Closed(Box::new(ended));
        }
        false
    }

    /// Adds it to a state.
    pub fn add_to(&mut self, state: &mut State, symbols: &mut Symbols, settings: &Settings) {
        match &mut self.log {
            Log::Open(observed) => {
                observed.add_to(state, self.number, symbols, &settings.suppressions);
            }
            Log::Closed(ended) => ended.add_to(state),
        }
    }

    /// Stack, blocks, lifetimes and ages of a site.
    pub fn detail(&mut self, site: u32, symbols: &mut Symbols) -> Option<Detail> {
        match &mut self.log {
            Log::Open(observed) => observed.detail(site, symbols),
            Log::Closed(ended) => ended.detail(site, symbols),
        }
    }
}
