//! Runs captured graphs.

use super::access::Kind;
use super::graphs::CapturedUse;
use super::state::RaceDetector;
use crate::api::block::AddressInfo;
use crate::api::family::{Family, is_host_memory};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::operation::RangeUse;
use crate::judge;
use crate::trackers::objects::HeapView;
use aclsan_log::record;

impl RaceDetector {
    /// The host will know how far the stream is. For everything queued so far, that counts as a wait.
    pub(super) fn notifies_host(&mut self, stream: u64, device: i32) {
        self.timelines.acquire_host(stream, device);
        self.graphs.calls_host(stream);
    }

    /// Whether the host can see what is written to `address`, and so wait for it.
    pub(super) fn is_seen_by_host(&self, address: u64, view: &dyn HeapView) -> bool {
        match view.place(address) {
            AddressInfo::Live(block, _) => {
                is_host_memory(block.family()) || block.family() == Family::Managed
            }
            _ => true,
        }
    }

    /// A graph runs on a stream.
    pub(super) fn runs(
        &mut self,
        call: &Call,
        graph: u64,
        stream: u64,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let known = self.graphs.graphs.remove(&graph);
        if known.as_ref().is_some_and(|known| known.waits) {
            self.graphs.waits_for_others(stream);
            self.timelines.acquire_all(stream, call.device);
        }
        let epoch = self.queue(stream, call.device);
        let mut found = Vec::new();
        let Some(known) = known else {
            return found;
        };
        for &CapturedUse {
            block: id,
            range,
            kind,
            ..
        } in &known.uses
        {
            match (view.place(range.address), epoch) {
                (AddressInfo::Live(block, _), Some(epoch)) if block.id == id => {
                    let access = self.access(call, epoch, range, kind);
                    found.extend(self.judge(&block, &access, epoch.timeline, false, false));
                    self.accesses.add(id, access, &self.timelines);
                }
                (place @ AddressInfo::Ended(block, ..), _) if block.id == id => {
                    let used = RangeUse {
                        address: range.address,
                        size: range.extent,
                        access: match kind {
                            Kind::Read => record::Access::Read,
                            _ => record::Access::Write,
                        },
                    };
                    found.extend(judge::uses(call, &used, &place, &view.profile()));
                }
                _ => {}
            }
        }
        if known.notifies_host {
            self.notifies_host(stream, call.device);
        }
        self.graphs.graphs.insert(graph, known);
        found
    }
}
