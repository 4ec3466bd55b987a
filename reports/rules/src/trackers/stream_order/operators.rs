//! Two-phase operators: what the second phase does with tensors.

use aclsan_log::record::Values;

use super::access::{Kind, Range};
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::family::is_race_checked;
use crate::api::functions::Call;
use crate::api::tensor::Shape;
use crate::evidence::finding::Finding;
use crate::trackers::objects::HeapView;

impl RaceDetector {
    /// A tensor was created. One with gaps is ignored: an operator may touch what is beside it, and another tensor be in
    /// its gaps.
    pub(super) fn tensor(&mut self, values: &Values, thread: u32) {
        let (tensor, address) = (values.get(0), values.get(1));
        self.point_elsewhere(tensor);
        if let Some((from, bytes)) = Shape::of(values).range()
            && let Some(address) = address.checked_add(from)
            && address != from
        {
            self.tensors.made(tensor, address, bytes, thread);
        }
    }

    /// A tensor was pointed at another address.
    pub(super) fn point_elsewhere(&mut self, tensor: u64) {
        for (block, epoch) in self.tensors.forget(tensor) {
            self.accesses.undo(block, epoch);
        }
    }

    pub(super) fn phase_one(&mut self, executor: u64, thread: u32) {
        for (block, epoch) in self.tensors.phase_one(executor, thread) {
            self.accesses.undo(block, epoch);
        }
    }

    /// What the operator may do to the tensors of its first phase.
    pub(super) fn phase_two(
        &mut self,
        call: &Call,
        executor: u64,
        stream: u64,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let mut tensors = self.tensors.of(executor);
        if let Some(reported) = self.tensors.reported(executor) {
            self.has_hidden_writes |= reported.iter().any(|&(_, bytes)| bytes == 0);
            let known = reported.into_iter().filter(|&(_, bytes)| bytes > 0);
            tensors = known.map(|(address, bytes)| (0, address, bytes)).collect();
        }
        if tensors.is_empty() {
            self.has_hidden_writes = true;
            self.faults.queued_hidden(stream, call.site);
            return Vec::new();
        }
        self.uses_tensors(call, tensors, stream, view)
    }

    // Not inlined: frameworks run out of their caches, without tensors.
    #[inline(never)]
    fn uses_tensors(
        &mut self,
        call: &Call,
        tensors: Vec<(u64, u64, u64)>,
        stream: u64,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut written = Vec::new();
        for (tensor, address, extent) in tensors {
            let AddressInfo::Live(block, _) = view.place(address) else {
                continue;
            };
            let Some(epoch) = self
                .queue(stream, call.device)
                .filter(|_| is_race_checked(block.family()))
            else {
                continue;
            };
            let is_result = !self.has_hidden_writes && !self.accesses.is_written(block.id);
            let kind = if is_result { Kind::Write } else { Kind::Touch };
            let range = Range {
                address,
                extent,
                is_whole: true,
            };
            let mut access = self.access(call, epoch, range, kind);
            access.tensor = tensor;
            found.extend(self.judge(&block, &access, epoch.timeline, false, false));
            self.accesses.add(block.id, access, &self.timelines);
            self.tensors.queued(tensor, block.id, epoch);
            written.push(block.id);
        }
        for block in written {
            self.accesses.wrote(block);
        }
        found
    }

    /// A tensor is about to be destroyed: which operator had it is certain now.
    pub(super) fn destroying(&mut self, tensor: &Block) -> Vec<Finding> {
        let (queued, found) = self.tensors.destroyed(tensor.address);
        for (block, epoch) in queued {
            self.accesses.confirm(block, epoch);
        }
        found
    }
}
