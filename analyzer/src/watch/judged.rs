//! Which findings of a process are shown: each is judged once by the suppressions, as soon as its stacks have names.

use aclsan_log::CallSiteId;
use aclsan_render::model::{Stacks, Trace};

use crate::policy::suppress::Suppressions;
use crate::replay::CountedFinding;

/// By index of a finding: whether suppressions cover it.
#[derive(Default)]
pub struct Judged(Vec<bool>);

impl Judged {
    /// Judges further findings, up to the first with a stack that has no names yet.
    pub fn judge<'a>(
        &mut self,
        findings: &[CountedFinding],
        suppressions: &Suppressions,
        names: impl Fn(CallSiteId) -> Option<&'a Trace>,
    ) {
        for found in &findings[self.0.len()..] {
            let here = names(found.finding.here).cloned();
            let earlier = sites(found).skip(1).map(|site| names(site).cloned());
            let (Some(here), Some(earlier)) = (here, earlier.collect()) else {
                return;
            };
            let stacks = Stacks { here, earlier };
            let is_covered = suppressions.omits(found.finding.rule.name, &stacks);
            self.0.push(is_covered);
        }
    }

    /// Those that were not judged.
    pub fn rest<'a>(&self, findings: &'a [CountedFinding]) -> &'a [CountedFinding] {
        &findings[self.0.len()..]
    }

    /// Those that are shown, with their indices.
    pub fn shown<'a>(
        &'a self,
        findings: &'a [CountedFinding],
    ) -> impl Iterator<Item = (usize, &'a CountedFinding)> {
        let judged = findings.iter().enumerate().take(self.0.len());
        judged.filter(|(at, found)| !self.is_omitted(*at, found))
    }

    /// Occurrences of those that are not, except of what follows from another.
    pub fn suppressed(&self, findings: &[CountedFinding]) -> u64 {
        let judged = findings.iter().zip(&self.0);
        let covered = judged.filter(|(found, is_covered)| **is_covered && !found.is_consequence());
        covered.map(|(found, _)| found.count.times).sum()
    }

    /// A finding takes its consequences with it.
    fn is_omitted(&self, at: usize, found: &CountedFinding) -> bool {
        let is_covered = |at: &usize| self.0.get(*at).is_some_and(|is_covered| *is_covered);
        is_covered(&at) || found.is_consequence() && found.roots.iter().all(is_covered)
    }
}

/// The calls of a finding: where it is, then the earlier ones.
pub fn sites(found: &CountedFinding) -> impl Iterator<Item = CallSiteId> {
    let earlier = found.finding.earlier.iter().map(|&(_, site)| site);
    std::iter::once(found.finding.here).chain(earlier)
}
