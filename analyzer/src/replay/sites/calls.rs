//! Calls and refusals by function, and the counters of hot call sites.

use std::collections::BTreeMap;
use std::num::NonZero;

use aclsan_log::CallSiteId;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::judge;

use super::Sites;
use crate::replay::totals::Sum;

/// Calls of one function.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Calls.
    pub calls: u64,
    /// Refused calls among them.
    pub failures: u64,
}

/// Counts by function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Calls {
    /// Function names by index; index 0 is "unknown".
    pub names: Vec<String>,
    /// Counts by the same index.
    pub tallies: Vec<Tally>,
    /// By function and status: refusals, and the bytes that allocations requested.
    pub refusals: BTreeMap<(usize, i32), Sum>,
    /// All calls.
    pub total: u64,
}

impl Calls {
    /// No calls yet of functions with these names.
    pub fn new(names: Vec<String>) -> Self {
        let tallies = vec![Tally::default(); names.len()];
        Self {
            names,
            tallies,
            ..Self::default()
        }
    }

    /// A log has learnt more functions: `names` are all of them.
    pub fn grow(&mut self, names: Vec<String>) {
        self.tallies.resize(names.len(), Tally::default());
        self.names = names;
    }

    /// One more call.
    pub fn called(&mut self, sites: &Sites, site: CallSiteId) {
        self.called_times(sites.function(site), 1);
    }

    /// `count` more calls of the function with that index.
    pub fn called_times(&mut self, function: usize, count: u64) {
        self.total += count;
        self.tallies[function].calls += count;
    }

    /// A counted call returned `status` instead of success.
    pub fn refused(&mut self, sites: &Sites, site: CallSiteId, status: i32, bytes: u64) {
        let function = sites.function(site);
        self.tallies[function].failures += 1;
        self.refusals
            .entry((function, status))
            .or_default()
            .add_one(bytes);
    }
}

/// What a hot call site does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Allocates plain memory: see [`judge::is_plain`].
    Allocation,
    /// Releases plain memory, with no meaning of its own for stream order.
    Release,
    /// Records an event.
    Record,
    /// Makes a stream wait for an event.
    Wait,
    /// Another stream-order edge that is nothing else.
    Edge,
    /// Queues a fill.
    Fill,
}

/// The counters of one hot call site.
pub struct HotCall {
    pub kind: Kind,
    pub call: Call,
    /// Calls counted here.
    pub count: u64,
    /// Allocations that the accounting did not need to see.
    pub uncounted: u64,
    /// For allocations: see [`judge::start_bits`].
    pub start_bits: u64,
    /// Index of the finding about a misaligned block start, plus one.
    pub found: Option<NonZero<u32>>,
    pub(super) function: usize,
}

impl HotCall {
    /// Counters for calls of the function with that index.
    pub fn new(kind: Kind, call: Call, function: usize, profile: &Profile) -> Self {
        Self {
            kind,
            call,
            count: 0,
            uncounted: 0,
            found: None,
            start_bits: judge::start_bits(call.function, profile),
            function,
        }
    }
}
