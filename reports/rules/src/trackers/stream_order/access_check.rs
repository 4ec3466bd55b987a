//! What calls do to blocks, and whether anything orders it after what was queued on them before.

use super::access_history::Range;
use super::copy_end::End;
use super::per_thread::Pending;
use crate::api::family::is_host;
use aclsan_log::{SiteId, record};

use super::access_history::{Access, Kind};
use super::epoch::{HOST, Point};
use super::state::Order;
use crate::api::block::{Block, Place};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::race::{Clash, Lane, Side};
use crate::judge;
use crate::rules::{
    host_buffer_reused_in_flight, read_before_sync, unordered_access, use_before_alloc,
    workspace_freed_in_flight,
};

impl Order {
    /// What is wrong with an operation of `line` on `block`, if something is; kept back where that is not certain yet.
    pub(super) fn judge(
        &mut self,
        block: &Block,
        next: &Access,
        line: usize,
        is_to_host: bool,
        is_inside: bool,
    ) -> Option<Finding> {
        if next.kind != Kind::Read {
            self.signals.overwritten(next.from, next.to - next.from);
        }
        let old = self.accesses.conflict(block.id, next, line, &self.lines)?;
        self.clash(&old, block, next, line, is_to_host, is_inside)
    }

    /// What is wrong with it, where it conflicts with `old`.
    #[cold]
    pub(super) fn clash(
        &mut self,
        old: &Access,
        block: &Block,
        next: &Access,
        line: usize,
        is_to_host: bool,
        is_inside: bool,
    ) -> Option<Finding> {
        if is_inside && matches!(old.side.lane, Lane::Default(_)) {
            return None;
        }
        let here = Side {
            call: next.side.call,
            lane: self.lines.lane(line),
        };
        let clash = Clash {
            earlier: old.side,
            here,
            block,
            address: old.from.max(next.from).max(block.address),
        };
        let is_of_host = is_host(block.family());
        let reads_on = line == HOST || is_to_host || is_of_host;
        let finding = match (old.kind, next.kind) {
            (Kind::Allocation, _) => use_before_alloc::check(&clash),
            (Kind::Workspace, kind) if kind != Kind::Read => {
                workspace_freed_in_flight::check_reuse(&clash)
            }
            (_, Kind::Write) if is_of_host => {
                host_buffer_reused_in_flight::check_overwritten(&clash)
            }
            (Kind::Write | Kind::Workspace, Kind::Read) if reads_on => {
                read_before_sync::check(&clash)
            }
            _ => unordered_access::check(&clash),
        };
        self.certain(finding, [old.tensor, next.tensor])
    }

    /// The finding, unless it rests on a tensor that is not certain; then it is kept back, and dropped if there are two.
    pub(super) fn certain(&mut self, finding: Finding, tensors: [u64; 2]) -> Option<Finding> {
        match tensors {
            [0, 0] => return Some(finding),
            [0, tensor] | [tensor, 0] => self.tensors.keep_back(tensor, finding),
            _ => {}
        }
        None
    }

    /// The copy or fill that this thread made last at `site` was refused.
    pub fn refused(&mut self, site: SiteId, thread: u32) {
        self.graphs.refused(site);
        self.threads.entry(thread).freeing = None;
        let last = self.latest.take(thread).filter(|last| last.0 == site);
        for (block, point) in last.into_iter().flat_map(|last| last.1).flatten() {
            self.accesses.undo(block, point);
        }
    }

    /// The thread's next call touches a range, at whose start lies `place`.
    pub fn uses(
        &mut self,
        call: &Call,
        used: &judge::Use,
        place: &Place,
        stream: u64,
        thread: u32,
    ) {
        if used.size == 0 || !call.function.meaning.names_stream {
            return;
        }
        let registered = self.registered_at(used.address, place);
        let End::Block(&block) = End::of(place, registered.as_ref()) else {
            return;
        };
        let point = match call.function.is_async {
            true => self.queue(stream, call.device),
            false => Some(Point {
                line: HOST,
                time: 0,
            }),
        };
        if used.access != record::Access::Read {
            self.signals.overwritten(used.address, used.size);
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
        } else if let Some(point) = point {
            let access = self.access(call, point, range, kind);
            self.threads.entry(thread).pending.push(Pending {
                call: *call,
                block,
                access,
            });
        }
    }

    /// The call whose ranges are pending was taken.
    pub(super) fn launched(&mut self, call: &Call, thread: u32) -> Vec<Finding> {
        let pending = match self.threads.get(thread) {
            Some(known) if !known.pending.is_empty() => std::mem::take(&mut known.pending),
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        let ours = pending
            .into_iter()
            .filter(|pending| pending.call.site == call.site);
        for Pending { block, access, .. } in ours {
            let line = access.point.line;
            found.extend(self.judge(&block, &access, line, false, false));
            if line != HOST {
                self.accesses.add(block.id, access, &self.lines);
            }
        }
        found
    }
}
