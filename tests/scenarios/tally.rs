//! Counts of a log's events.

use aclsan_log::{CallSiteId, Event, Log};
use std::collections::BTreeMap;
use std::path::Path;

/// A log and its counts.
pub struct Tally {
    /// The log itself.
    pub log: Log,
    /// Blocks allocated.
    pub allocations: usize,
    /// Releases of known blocks and of other addresses.
    pub releases: usize,
    /// Calls by name.
    pub calls: BTreeMap<String, usize>,
    /// Sites in order of time.
    pub sites: Vec<CallSiteId>,
    /// Whether the log has the end of the process.
    pub has_exit: bool,
}

impl Tally {
    /// Reads the whole log, which must be undamaged.
    pub fn of(path: &Path) -> Self {
        let log = Log::open(path).unwrap_or_else(|error| panic!("{error}"));
        let mut tally = Self {
            log,
            allocations: 0,
            releases: 0,
            calls: BTreeMap::new(),
            sites: Vec::new(),
            has_exit: false,
        };
        let mut events = tally.log.events();
        for timed in events.by_ref() {
            match timed.event {
                Event::Allocation { .. } => tally.allocations += 1,
                Event::Release { .. } | Event::ReleaseAt { .. } => tally.releases += 1,
                Event::Exit => tally.has_exit = true,
                _ => {}
            }
            let Some(site) = site(&timed.event) else {
                continue;
            };
            tally.sites.push(site);
            *tally
                .calls
                .entry(tally.log.function(site).into())
                .or_default() += 1;
        }
        assert_eq!(events.damage(), [], "{}", path.display());
        drop(events);
        assert_eq!(tally.log.damage, [], "{}", path.display());
        tally
    }

    /// How often `function` was called.
    pub fn count(&self, function: &str) -> usize {
        self.calls.get(function).copied().unwrap_or(0)
    }

    /// Allocations and releases.
    pub fn pairs(&self) -> (usize, usize) {
        (self.allocations, self.releases)
    }
}

/// The site of an event that represents one call.
fn site(event: &Event) -> Option<CallSiteId> {
    match *event {
        Event::Allocation { site, .. }
        | Event::AllocationFailed { site, .. }
        | Event::Release { site, .. }
        | Event::ReleaseAt { site, .. }
        | Event::Copy { site, .. }
        | Event::Copy2d { site, .. }
        | Event::Set { site, .. }
        | Event::Memory { site, .. }
        | Event::Call { site, .. } => Some(site),
        _ => None,
    }
}
