//! What programs do all the time, by site: what it is, and how often it was done.

use std::num::NonZero;

use aclsan_log::SiteId;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Call, judge};

use super::calls::Calls;
use super::sites::Sites;

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
pub struct Often {
    pub kind: Kind,
    pub call: Call,
    /// How many there were.
    pub count: u64,
    /// Of allocations: those besides, that the books did not want to hear of.
    pub unheard: u64,
    /// Of an allocation: see [`judge::start_bits`].
    pub start_bits: u64,
    /// The place among the findings of what was said of a block that starts elsewhere.
    pub found: Option<NonZero<u32>>,
    function: usize,
}

impl Often {
    /// Of calls of the function of that index.
    pub fn new(kind: Kind, call: Call, function: usize, profile: &Profile) -> Self {
        let family = call.function.family();
        Self {
            kind,
            call,
            count: 0,
            unheard: 0,
            found: None,
            start_bits: family.map_or(0, |family| judge::start_bits(family, profile)),
            function,
        }
    }
}

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
