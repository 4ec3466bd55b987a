//! What programs do all the time, by site: what it is, and how often it was done.

use aclsan_log::SiteId;
use aclsan_rules::profile::Profile;

use super::Sites;
use super::calls::{Calls, HotCall};

/// All sites.
pub struct HotCalls(Vec<Option<HotCall>>);

impl HotCalls {
    /// None of them has been called yet.
    pub fn new(sites: &Sites, profile: &Profile) -> Self {
        let sites = (0..sites.len() as u32).map(|site| sites.hot_call(SiteId(site), profile));
        Self(sites.collect())
    }

    /// A site, if what is done there is one of these.
    #[inline(always)]
    pub fn at(&mut self, site: SiteId) -> Option<&mut HotCall> {
        self.0.get_mut(site.0 as usize)?.as_mut()
    }

    /// Blocks of each site that the books did not want to hear of.
    pub fn uncounted(&self) -> impl Iterator<Item = u64> {
        let sites = self.0.iter().map(Option::as_ref);
        sites.map(|hot_call| hot_call.map_or(0, |hot_call| hot_call.uncounted))
    }

    /// Counts all of them among `calls`.
    pub fn count(self, calls: &mut Calls) {
        for hot_call in self.0.into_iter().flatten() {
            calls.called_times(hot_call.function, hot_call.count + hot_call.uncounted);
        }
    }
}
