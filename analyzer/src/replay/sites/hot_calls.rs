//! What programs do all the time, by site: what it is, and how often it was done.

use aclsan_log::SiteId;
use aclsan_rules::profile::Profile;

use super::Sites;
use super::calls::{Calls, Often};

/// All sites.
pub struct AllOften(Vec<Option<Often>>);

impl AllOften {
    /// None of them has been called yet.
    pub fn new(sites: &Sites, profile: &Profile) -> Self {
        let sites = (0..sites.len() as u32).map(|site| sites.often(SiteId(site), profile));
        Self(sites.collect())
    }

    /// A site, if what is done there is one of these.
    #[inline(always)]
    pub fn at(&mut self, site: SiteId) -> Option<&mut Often> {
        self.0.get_mut(site.0 as usize)?.as_mut()
    }

    /// Blocks of each site that the books did not want to hear of.
    pub fn unheard(&self) -> impl Iterator<Item = u64> {
        let sites = self.0.iter().map(Option::as_ref);
        sites.map(|often| often.map_or(0, |often| often.unheard))
    }

    /// Counts all of them among `calls`.
    pub fn count(self, calls: &mut Calls) {
        for often in self.0.into_iter().flatten() {
            calls.called_times(often.function, often.count + often.unheard);
        }
    }
}
