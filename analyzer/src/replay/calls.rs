//! Calls and refusals by function.

use std::collections::BTreeMap;

use aclsan_log::SiteId;

use super::sites::Sites;
use super::totals::Sum;

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
