//! Asks the trackers and keeps their findings.

use aclsan_rules::{Finding, Ledger, Order, Scene};

use super::Player;
use super::heap_view::ReplayHeap;

impl Player {
    /// Asks the race detector.
    pub(super) fn ask_order<F: IntoIterator<Item = Finding>>(
        &mut self,
        question: impl FnOnce(&mut Order, u32, &dyn Scene) -> F,
    ) {
        let found = {
            let scene = ReplayHeap {
                heap: &self.heap,
                profile: self.profile,
            };
            let scene = self.ledger.reached(&scene);
            question(&mut self.order, self.now.1, &scene)
        };
        self.found(found);
    }

    /// Asks the object tracker; `true` if it found anything.
    pub(super) fn ask(
        &mut self,
        question: impl FnOnce(&mut Ledger, &dyn Scene) -> Vec<Finding>,
    ) -> bool {
        let scene = ReplayHeap {
            heap: &self.heap,
            profile: self.profile,
        };
        let found = question(&mut self.ledger, &scene);
        self.ledger_follows = self.ledger.follows_blocks();
        let is_found = !found.is_empty();
        self.found(found);
        is_found
    }

    /// Inlined, because mostly there is no finding.
    #[inline(always)]
    pub(super) fn found(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            self.found_times(finding, 1);
        }
    }

    #[cold]
    pub(super) fn found_times(&mut self, finding: Finding, times: u64) {
        let (ns, tid) = self.now;
        if !self.annotations.ignored.passes_over(tid, times) {
            self.findings.add(&self.sites, finding, times, ns, tid);
        }
    }
}
