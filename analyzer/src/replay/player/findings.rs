//! Asks the trackers and keeps their findings.

use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::trackers::objects::{HeapView, ObjectTracker};
use aclsan_rules::trackers::stream_order::RaceDetector;

use super::Player;
use super::heap_view::ReplayHeap;

impl Player {
    /// Asks the race detector.
    pub(super) fn ask_order<F: IntoIterator<Item = Finding>>(
        &mut self,
        question: impl FnOnce(&mut RaceDetector, u32, &dyn HeapView) -> F,
    ) {
        let found = {
            let scene = ReplayHeap {
                heap: &self.heap,
                profile: self.profile,
            };
            let scene = self.objects.resolved(&scene);
            question(&mut self.order, self.now.1, &scene)
        };
        self.found(found);
    }

    /// Asks the object tracker; `true` if it found anything.
    pub(super) fn ask(
        &mut self,
        question: impl FnOnce(&mut ObjectTracker, &dyn HeapView) -> Vec<Finding>,
    ) -> bool {
        let scene = ReplayHeap {
            heap: &self.heap,
            profile: self.profile,
        };
        let found = question(&mut self.objects, &scene);
        self.objects_follow = self.objects.wants_blocks();
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
