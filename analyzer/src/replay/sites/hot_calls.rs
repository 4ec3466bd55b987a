//! Counters of the call sites that programs use most, by site.

use aclsan_log::CallSiteId;
use aclsan_rules::api::profile::Profile;

use super::Sites;
use super::calls::{Calls, HotCall};

/// By site; `None` for sites that are not hot.
pub struct HotCalls(Vec<Option<HotCall>>);

impl HotCalls {
    /// No calls yet.
    pub fn new(sites: &Sites, profile: &Profile) -> Self {
        let sites = (0..sites.len() as u32).map(|site| sites.hot_call(CallSiteId(site), profile));
        Self(sites.collect())
    }

    /// Adds counters for the sites that a log has learnt since.
    pub fn grow(&mut self, sites: &Sites, profile: &Profile) {
        let more = self.0.len() as u32..sites.len() as u32;
        let more = more.map(|site| sites.hot_call(CallSiteId(site), profile));
        self.0.extend(more);
    }

    /// Calls counted here, and those among them that nobody else counts.
    pub fn total(&self) -> u64 {
        let counted = self.0.iter().flatten();
        counted.map(|hot| hot.count + hot.uncounted).sum()
    }

    /// The counters of a site, if it is hot.
    #[inline(always)]
    pub fn at(&mut self, site: CallSiteId) -> Option<&mut HotCall> {
        self.0.get_mut(site.0 as usize)?.as_mut()
    }

    /// Blocks of each site that the accounting did not need to see.
    pub fn uncounted(&self) -> impl Iterator<Item = u64> {
        let sites = self.0.iter().map(Option::as_ref);
        sites.map(|hot_call| hot_call.map_or(0, |hot_call| hot_call.uncounted))
    }

    /// Adds all counters to `calls`.
    pub fn count(self, calls: &mut Calls) {
        for hot_call in self.0.into_iter().flatten() {
            calls.called_times(hot_call.function, hot_call.count + hot_call.uncounted);
        }
    }
}
