//! What follows from a missing edge between two streams, or between a stream and the host.
//!
//! The first race about a block shows the gap: nothing makes the later side wait for what is queued on the earlier one.
//! Any later operation of the later side that races with work that was queued by then, about the same block, has the
//! same cause: the one edge that is missing would have ordered it, too. That includes a release.
//!
//! Work that the earlier side queues afterwards needs an edge of its own, and so does the other direction: such a race
//! is a finding of its own. So is an error after a warning.

use std::collections::HashMap;

use super::Root;
use crate::evidence::finding::Finding;
use crate::evidence::gap::GapId;

/// Gaps that are remembered; after that, all are forgotten.
const MAX_GAPS: usize = 4096;

/// The root of each gap.
#[derive(Debug)]
pub(super) struct MissingEdges<H>(HashMap<GapId, Root<H>>);

impl<H> Default for MissingEdges<H> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<H: Copy> MissingEdges<H> {
    pub fn root_of(&self, finding: &Finding) -> Option<Root<H>> {
        self.0.get(&finding.gap?).copied()
    }

    pub fn remember(&mut self, finding: &Finding, root: Root<H>) {
        let Some(gap) = finding.gap else { return };
        if self.0.len() >= MAX_GAPS && !self.0.contains_key(&gap) {
            self.0.clear();
        }
        let known = self.0.entry(gap).or_insert(root);
        if root.severity > known.severity {
            *known = root;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consequences::Consequences;
    use crate::evidence::race::{Race, TimelineKind};
    use crate::evidence::rule::Severity;
    use crate::evidence::testing::*;
    use crate::rules::{free_in_flight, unordered_access};

    fn of(gap: u64, check: fn(&Race) -> Finding) -> Finding {
        let block = device_block(0x1000, 64);
        let race = race(
            &block,
            ("aclrtMemsetAsync", TimelineKind::Stream(1)),
            ("aclrtMemcpyAsync", TimelineKind::Stream(2)),
        );
        check(&Race {
            gap: Some(GapId(gap)),
            ..race
        })
    }

    fn remember(all: &mut Consequences<u32>, finding: &Finding, handle: u32) {
        let root = Root {
            severity: finding.severity,
            handle: Some(handle),
        };
        all.remember(finding, root, &[]);
    }

    #[test]
    fn a_race_in_the_same_gap_follows_and_one_in_another_does_not() {
        let mut all = Consequences::default();
        remember(&mut all, &of(1, unordered_access::check), 7);
        let root = all.root_of(&of(1, unordered_access::check)).unwrap();
        assert_eq!(root.handle, Some(7));
        assert_eq!(all.root_of(&of(2, unordered_access::check)), None);
    }

    #[test]
    fn an_error_does_not_follow_from_a_warning_and_is_the_root_from_then_on() {
        let mut all = Consequences::default();
        remember(&mut all, &of(1, unordered_access::check), 7);
        let error = of(1, free_in_flight::check);
        assert_eq!(error.severity, Severity::Error);
        assert_eq!(all.root_of(&error), None);
        remember(&mut all, &error, 8);
        let root = all.root_of(&of(1, unordered_access::check)).unwrap();
        assert_eq!(root.handle, Some(8));
    }

    #[test]
    fn forgotten_gaps_take_no_memory() {
        let mut gaps = MissingEdges::default();
        for gap in 0..3 * MAX_GAPS as u64 {
            let root = Root {
                severity: Severity::Warning,
                handle: Some(0),
            };
            gaps.remember(&of(gap, unordered_access::check), root);
        }
        assert!(gaps.0.len() <= MAX_GAPS);
    }
}
