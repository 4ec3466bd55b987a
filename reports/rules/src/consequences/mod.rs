//! Which findings follow from others: one mistake is one finding.
//!
//! A *root* is a finding of its own. A *consequence* is what the same mistake shows elsewhere or later: it is listed with
//! its root and counted nowhere. Both hosts ask here before they count a finding, the shim at the call and the analyzer
//! at the same event of the log, so both fold the same findings. Each file is one rule of folding, and its module
//! documentation says when it folds and when not.
//!
//! For all of them:
//! * A consequence is no more severe than its root, so folding never hides an error behind a warning. Leaks are the
//!   exception: they are found when the log ends, and their root takes over their severity.
//! * A consequence of a consequence belongs to the root.
//! * A finding that also occurs without a root is a finding of its own.
//! * What follows from a finding that the program asked to ignore is ignored, too.
//! * Memory is bounded. Roots that were forgotten have no consequences: what follows is then a finding of its own.

mod copy_overrun;
mod free_in_flight;
pub mod leak_growing;
pub mod mismatched_free;
mod missing_edge;
mod recent;

use aclsan_log::{BlockId, CallSiteId};

use crate::evidence::finding::Finding;
use crate::evidence::rule::Severity;

/// A finding that others may follow from. `H` is how the host names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root<H> {
    /// Its severity.
    pub severity: Severity,
    /// The host's name for it; `None` if it is ignored, and everything that follows from it.
    pub handle: Option<H>,
}

/// The roots that later findings may follow from.
#[derive(Debug)]
pub struct Consequences<H> {
    copy_overrun: copy_overrun::Overruns<H>,
    missing_edge: missing_edge::MissingEdges<H>,
    free_in_flight: free_in_flight::ReleasesInFlight<H>,
    mismatched_free: mismatched_free::Mismatches<H>,
}

impl<H> Default for Consequences<H> {
    fn default() -> Self {
        Self {
            copy_overrun: Default::default(),
            missing_edge: Default::default(),
            free_in_flight: Default::default(),
            mismatched_free: Default::default(),
        }
    }
}

impl<H: Copy> Consequences<H> {
    /// The root that `finding` follows from, if any.
    pub fn root_of(&self, finding: &Finding) -> Option<Root<H>> {
        let candidates = [
            self.copy_overrun.root_of(finding),
            self.missing_edge.root_of(finding),
            self.free_in_flight.root_of(finding),
            self.mismatched_free.root_of(finding),
        ];
        let mut roots = candidates.into_iter().flatten();
        roots.find(|root| finding.severity <= root.severity)
    }

    /// Remembers `finding`, which is `root` or follows from it. `reached` are the blocks other than its own whose bytes it
    /// may have written: see [`Finding::overrun`].
    pub fn remember(&mut self, finding: &Finding, root: Root<H>, reached: &[BlockId]) {
        self.copy_overrun.remember(finding, root, reached);
        self.missing_edge.remember(finding, root);
        self.free_in_flight.remember(finding, root);
        self.mismatched_free.remember(finding, root);
    }

    /// The runtime refused the last copy or fill at `site`: it wrote nothing.
    pub fn refused_at(&mut self, site: CallSiteId) {
        self.copy_overrun.refused_at(site);
    }

    /// The runtime refused to release this block.
    pub fn release_refused(&mut self, block: BlockId) {
        self.mismatched_free.release_refused(block);
    }

    /// The wrong release that the runtime refused, because of which `block` may have leaked.
    pub fn keeper_of(&self, block: BlockId) -> Option<Root<H>> {
        self.mismatched_free.keeper_of(block)
    }
}
