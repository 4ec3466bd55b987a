//! Models: each queued execution uses the memory that the program gave the model.

use aclsan_log::record::{Access, Values};

use super::access::{Kind, Range};
use super::copy_end::CopyEnd;
use super::state::RaceDetector;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::trackers::objects::HeapView;

impl RaceDetector {
    /// A model was loaded, configured or unloaded.
    pub(super) fn model(&mut self, call: &Call, values: &Values, view: &dyn HeapView) {
        // The program owns the memory again. Whether unloading waits is not documented.
        for used in self.models.returned(call.function, values) {
            let place = view.place(used.address);
            let registered = self.registered_at(used.address, &place);
            if let CopyEnd::Block(block) = CopyEnd::of(&place, registered.as_ref()) {
                self.accesses.forget(block.id, |old| {
                    old.from == used.address
                        && old.side.call.function.values.first() == Some(&"model")
                });
            }
        }
        self.models.called(call.function, values);
    }

    /// An execution of a model was queued on `stream`. Two executions that share work memory are not reported: whether
    /// the runtime runs models concurrently is not documented.
    pub(super) fn runs_model(
        &mut self,
        call: &Call,
        model: u64,
        stream: u64,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let uses = self.models.of(model);
        for used in uses.into_iter().filter(|used| used.size > 0) {
            let place = view.place(used.address);
            let registered = self.registered_at(used.address, &place);
            let CopyEnd::Block(block) = CopyEnd::of(&place, registered.as_ref()) else {
                continue;
            };
            let kind = match used.access {
                Access::Read => Kind::Read,
                _ => Kind::Touch,
            };
            let range = Range {
                address: used.address,
                extent: used.size,
                is_whole: true,
            };
            let epoch = self.queue(stream, call.device);
            if self.graphs.has(stream) {
                self.graphs.note(stream, call.site, block.id, range, kind);
            } else if let Some(epoch) = epoch {
                let access = self.access(call, epoch, range, kind);
                found.extend(self.judge(block, &access, epoch.timeline, false, false));
                self.accesses.add(block.id, access, &self.timelines);
            }
            if kind != Kind::Read {
                self.accesses.wrote(block.id);
            }
        }
        found
    }
}
