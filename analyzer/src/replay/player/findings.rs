//! Asks the trackers and keeps their findings.

use aclsan_log::BlockId;
use aclsan_rules::consequences::Root;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::recent_writers::NEIGHBOR_DISTANCE;
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
        let reached = self.reached(&finding);
        let mut root = Root {
            severity: finding.severity,
            handle: None,
        };
        if !self.annotations.ignored.passes_over(tid, times) {
            // What also occurs by itself is a finding of its own.
            let known = self.consequences.root_of(&finding);
            let known = known.filter(|_| !self.findings.is_own(&self.sites, &finding));
            let (sites, findings) = (&self.sites, &mut self.findings);
            match known {
                Some(known) => {
                    root = known;
                    if let Some(of) = known.handle {
                        findings.add_consequence(sites, of, &finding, (times, ns, tid));
                    }
                }
                None => root.handle = Some(findings.add(sites, &finding, times, ns, tid)),
            }
        }
        self.consequences.remember(&finding, root, &reached);
    }

    /// The other blocks that an overrun ran into: the next live one, and the one where it ended.
    fn reached(&self, finding: &Finding) -> Vec<BlockId> {
        let Some((block, written)) = finding.overrun() else {
            return Vec::new();
        };
        let (_, next) = self.heap.neighbors(block, NEIGHBOR_DISTANCE);
        let last = written.last().map(|last| self.heap.place(last));
        let last = last.as_ref().and_then(|place| place.block());
        let ids = next.iter().chain(last.map(|(block, _)| block));
        ids.map(|block| block.id).collect()
    }
}
