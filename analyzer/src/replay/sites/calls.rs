//! Calls and refusals by function, and what the calls of one site are.

use std::collections::BTreeMap;
use std::num::NonZero;

use aclsan_log::SiteId;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Call, judge};

use super::Sites;
use crate::replay::accounting::totals::Sum;

/// Calls of one function.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Calls.
    pub calls: u64,
    /// Of these, refused ones.
    pub failures: u64,
}

/// The tallies, by index of the function's name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Calls {
    /// Names by index; index 0 is "not known".
    pub names: Vec<String>,
    /// By the same index.
    pub tallies: Vec<Tally>,
    /// By function and status: how many, and the bytes that allocations asked for.
    pub refusals: BTreeMap<(usize, i32), Sum>,
    /// Calls in all.
    pub total: u64,
}

impl Calls {
    /// Nothing yet of functions with these names.
    pub fn new(names: Vec<String>) -> Self {
        let tallies = vec![Tally::default(); names.len()];
        Self {
            names,
            tallies,
            ..Self::default()
        }
    }

    /// One more call.
    pub fn called(&mut self, sites: &Sites, site: SiteId) {
        self.called_times(sites.function(site), 1);
    }

    /// So many more calls of the function whose name has that index.
    pub fn called_times(&mut self, function: usize, count: u64) {
        self.total += count;
        self.tallies[function].calls += count;
    }

    /// A call that was counted returned `status` instead of success.
    pub fn refused(&mut self, sites: &Sites, site: SiteId, status: i32, bytes: u64) {
        let function = sites.function(site);
        self.tallies[function].failures += 1;
        self.refusals
            .entry((function, status))
            .or_default()
            .add(bytes);
    }
}

/// What calls from a site are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An allocation of plain memory: see [`judge::is_plain`].
    Allocation,
    /// A release of plain memory that has no meaning of its own to the order of streams.
    Release,
    /// A record of an event.
    Record,
    /// A stream's wait for one.
    Wait,
    /// Another edge of streams that is nothing else.
    Edge,
    /// A fill that is queued.
    Fill,
}

/// One site.
pub struct HotCall {
    pub kind: Kind,
    pub call: Call,
    /// How many there were.
    pub count: u64,
    /// Of allocations: those besides, that the books did not want to hear of.
    pub uncounted: u64,
    /// Of an allocation: see [`judge::start_bits`].
    pub start_bits: u64,
    /// The place among the findings of what was said of a block that starts elsewhere.
    pub found: Option<NonZero<u32>>,
    pub(super) function: usize,
}

impl HotCall {
    /// Of calls of the function of that index.
    pub fn new(kind: Kind, call: Call, function: usize, profile: &Profile) -> Self {
        let family = call.function.family();
        Self {
            kind,
            call,
            count: 0,
            uncounted: 0,
            found: None,
            start_bits: family.map_or(0, |family| judge::start_bits(family, profile)),
            function,
        }
    }
}
