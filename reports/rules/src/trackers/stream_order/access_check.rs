//! Checks each access against the shadow state.

use super::access::{Access, Kind, Range};
use super::copy_end::CopyEnd;
use super::per_thread::PendingAccess;
use crate::api::family::is_host_memory;
use aclsan_log::{CallSiteId, record};

use super::epoch::{Epoch, HOST};
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::operation::RangeUse;
use crate::evidence::race::{Race, RaceAccess, TimelineKind};
use crate::rules::{
    host_buffer_reused_in_flight, read_before_sync, unordered_access, use_before_alloc,
    workspace_freed_in_flight,
};

/// Pending accesses for which a thread keeps memory.
const MAX_KEPT: usize = 16;

impl RaceDetector {
    /// Checks an access of `timeline` to `block`. A finding that rests on an uncertain tensor is held back.
    pub(super) fn judge(
        &mut self,
        block: &Block,
        next: &Access,
        timeline: usize,
        is_to_host: bool,
        is_inside: bool,
    ) -> Option<Finding> {
        if next.kind != Kind::Read {
            self.semaphores.overwritten(next.from, next.to - next.from);
        }
        let old = self
            .accesses
            .conflict(block.id, next, timeline, &self.timelines)?;
        self.race(&old, block, next, timeline, is_to_host, is_inside)
    }

    /// The finding for an access that races with `old`.
    #[cold]
    pub(super) fn race(
        &mut self,
        old: &Access,
        block: &Block,
        next: &Access,
        timeline: usize,
        is_to_host: bool,
        is_inside: bool,
    ) -> Option<Finding> {
        if is_inside && matches!(old.side.timeline_kind, TimelineKind::Default(_)) {
            return None;
        }
        let here = RaceAccess {
            call: next.side.call,
            timeline_kind: self.timelines.kind_of(timeline),
        };
        let race = Race {
            earlier: old.side,
            here,
            block,
            address: old.from.max(next.from).max(block.address),
            bytes: old.bytes(),
            gap: Some(self.gaps.between(block.id, old, timeline, &self.timelines)),
        };
        let is_of_host = is_host_memory(block.family());
        let reads_on = timeline == HOST || is_to_host || is_of_host;
        let finding = match (old.kind, next.kind) {
            (Kind::Allocation, _) => use_before_alloc::check(&race),
            (Kind::Workspace, kind) if kind != Kind::Read => {
                workspace_freed_in_flight::check_reuse(&race)
            }
            (_, Kind::Write) if is_of_host => {
                host_buffer_reused_in_flight::check_overwritten(&race)
            }
            (Kind::Write | Kind::Workspace, Kind::Read) if reads_on => {
                read_before_sync::check(&race)
            }
            _ => unordered_access::check(&race),
        };
        self.certain(finding, [old.tensor, next.tensor])
    }

    /// Returns the finding unless it rests on an uncertain tensor: then it is held back, or dropped if it rests on two.
    pub(super) fn certain(&mut self, finding: Finding, tensors: [u64; 2]) -> Option<Finding> {
        match tensors {
            [0, 0] => return Some(finding),
            [0, tensor] | [tensor, 0] => self.tensors.keep_back(tensor, finding),
            _ => {}
        }
        None
    }

    /// The runtime refused the copy or fill that this thread made last at `site`.
    pub fn refused(&mut self, site: CallSiteId, thread: u32) {
        self.graphs.refused(site);
        self.threads.entry(thread).freeing = None;
        let last = self.latest.take(thread).filter(|last| last.0 == site);
        for (block, epoch) in last.into_iter().flat_map(|last| last.1).flatten() {
            self.accesses.undo(block, epoch);
        }
    }

    /// The thread's next call touches a range; `place` is what its first address is.
    pub fn uses(
        &mut self,
        call: &Call,
        used: &RangeUse,
        place: &AddressInfo,
        stream: u64,
        thread: u32,
    ) {
        if used.size == 0 || !call.function.attributes.names_stream {
            return;
        }
        let registered = self.registered_at(used.address, place);
        let CopyEnd::Block(&block) = CopyEnd::of(place, registered.as_ref()) else {
            return;
        };
        let epoch = match call.function.is_async {
            true => self.queue(stream, call.device),
            false => Some(Epoch {
                timeline: HOST,
                time: 0,
            }),
        };
        if used.access != record::Access::Read {
            self.semaphores.overwritten(used.address, used.size);
            self.accesses.wrote(block.id);
        }
        let kind = match used.access {
            record::Access::Read => Kind::Read,
            record::Access::Write => Kind::Write,
            record::Access::Both if call.function.is_phase_two() => Kind::Workspace,
            record::Access::Both => Kind::Touch,
        };
        let range = Range {
            address: used.address,
            extent: used.size,
            is_whole: true,
        };
        let is_kept = match call.function.is_async {
            true => self.graphs.has(stream),
            false => self.graphs.is_capturing(),
        };
        if is_kept {
            self.graphs.note(stream, call.site, block.id, range, kind);
        } else if let Some(epoch) = epoch {
            let access = self.access(call, epoch, range, kind);
            self.threads.entry(thread).pending.push(PendingAccess {
                call: *call,
                block,
                access,
            });
        }
    }

    /// The runtime accepted the call whose ranges are pending.
    pub(super) fn launched(&mut self, call: &Call, thread: u32) -> Vec<Finding> {
        match self.threads.get_cached(thread) {
            Some(known) if !known.pending.is_empty() => {
                let pending = std::mem::take(&mut known.pending);
                self.launched_on(call, thread, pending)
            }
            _ => Vec::new(),
        }
    }

    // Not inlined: most operators name no ranges.
    #[inline(never)]
    fn launched_on(
        &mut self,
        call: &Call,
        thread: u32,
        mut pending: Vec<PendingAccess>,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let ours = pending
            .drain(..)
            .filter(|pending| pending.call.site == call.site);
        for PendingAccess { block, access, .. } in ours {
            let timeline = access.epoch.timeline;
            found.extend(self.judge(&block, &access, timeline, false, false));
            if timeline != HOST {
                self.accesses.add(block.id, access, &self.timelines);
            }
        }
        // Its memory serves the thread's next launch, unless that had uncommonly many ranges.
        if pending.capacity() <= MAX_KEPT
            && let Some(known) = self.threads.get_cached(thread)
        {
            known.pending = pending;
        }
        found
    }
}
