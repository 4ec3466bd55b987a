//! What copies, fills and launches do to blocks, and whether anything orders it after what was queued on them before.

use aclsan_log::{SiteId, record};

use super::accesses::{Access, Kind};
use super::clash::{Clash, Lane, Side};
use super::follow::Order;
use super::lines::{HOST, Point};
use crate::block::{Block, Place};
use crate::family::Family;
use crate::finding::Finding;
use crate::functions::Call;
use crate::judge;
use crate::rules::{
    host_buffer_reused_in_flight, read_before_sync, unordered_access, use_before_alloc,
    workspace_freed_in_flight,
};

/// A range that a thread's next call touches.
pub(super) struct Pending {
    call: Call,
    block: Block,
    access: Access,
}

/// `ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE`: the source is read before the call returns.
const THROUGH_BUFFER: u32 = 5;

/// What an address is, for a copy.
pub(super) enum End {
    /// One of the families whose use is followed.
    Block(Block),
    /// Memory of another kind: nothing is said of it.
    Other,
    /// Nothing that was seen allocated: it may be pageable.
    Unknown,
}

/// One end of a copy: how many bytes, whether all of them are touched.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub address: u64,
    pub extent: u64,
    pub is_whole: bool,
}

impl Order {
    fn end(&self, address: u64, place: &Place) -> End {
        match place {
            Place::Live(block, _) | Place::Ended(block, ..) if !is_followed(block.family()) => {
                End::Other
            }
            Place::Live(block, _) => End::Block(*block),
            Place::Ended(..) => End::Other,
            Place::Unknown => {
                let before = self.registered.range(..=address).next_back();
                match before.filter(|(_, block)| block.covers(address)) {
                    Some((_, block)) => End::Block(*block),
                    None => End::Unknown,
                }
            }
        }
    }

    /// A copy of `copy.count` bytes, on `stream` if its function is one that queues. `to` and `from` are what lies there.
    pub fn copy(
        &mut self,
        call: &Call,
        copy: &judge::Copy,
        [to, from]: [&Place; 2],
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        if copy.count == 0 || copy.count > copy.room || copy.to == copy.from {
            return Vec::new();
        }
        let range = |address| Range {
            address,
            extent: copy.count,
            is_whole: true,
        };
        let from = Some((range(copy.from), from));
        self.both_ends(call, (range(copy.to), to), from, stream, thread)
    }

    /// A copy of rows.
    pub fn copy_2d(
        &mut self,
        call: &Call,
        copy: &judge::Copy2d,
        [to, from]: [&Place; 2],
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        if copy.width == 0 || copy.height == 0 {
            return Vec::new();
        }
        let range = |address, pitch: u64| Range {
            address,
            extent: pitch
                .saturating_mul(copy.height - 1)
                .saturating_add(copy.width),
            is_whole: pitch == copy.width || copy.height == 1,
        };
        let to = (range(copy.to, copy.to_pitch), to);
        let from = (range(copy.from, copy.from_pitch), from);
        self.both_ends(call, to, Some(from), stream, thread)
    }

    /// A fill.
    pub fn set(
        &mut self,
        call: &Call,
        set: &judge::Set,
        to: &Place,
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        if set.count == 0 || set.count > set.room {
            return Vec::new();
        }
        let range = Range {
            address: set.to,
            extent: set.count,
            is_whole: true,
        };
        self.both_ends(call, (range, to), None, stream, thread)
    }

    fn both_ends(
        &mut self,
        call: &Call,
        to: (Range, &Place),
        from: Option<(Range, &Place)>,
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        let is_queued = call.function.is_async;
        self.signals.overwritten(to.0.address, to.0.extent);
        let target = self.end(to.0.address, to.1);
        let source = from.map(|(range, place)| self.end(range.address, place));
        let point = match is_queued {
            true => self.queue(stream, call.device),
            false => Some(Point {
                line: HOST,
                time: 0,
            }),
        };
        let is_buffered = call.argument == THROUGH_BUFFER;
        let is_pageable =
            matches!(target, End::Unknown) || matches!(source, Some(End::Unknown)) && !is_buffered;
        let is_host = |end: &End| match end {
            End::Block(block) => is_host(block.family()),
            End::Other => false,
            End::Unknown => true,
        };
        // Blocking work between device addresses may go through the default stream.
        let is_inside = !is_queued && !is_host(&target) && !source.as_ref().is_some_and(is_host);
        let is_to_host = is_host(&target);
        let is_capturing = self.is_capturing();
        let mut found = Vec::new();
        let mut put = [None; 2];
        let ends = [
            (Some(&target), Some(to.0), Kind::Write),
            (source.as_ref(), from.map(|from| from.0), Kind::Read),
        ];
        for (put, (end, range, kind)) in put.iter_mut().zip(ends) {
            let (Some(End::Block(block)), Some(range)) = (end, range) else {
                continue;
            };
            // Read at the call, the source is in nobody's way.
            let is_read_now = kind == Kind::Read && is_buffered;
            if let Some(point) = point.filter(|_| is_queued || !is_capturing)
                && (is_queued || !is_read_now)
            {
                if kind == Kind::Write {
                    self.accesses.wrote(block.id);
                }
                let access = self.access(call, point, range, kind);
                let (line, is_to_host) = match is_read_now {
                    true => (HOST, false),
                    false => (point.line, is_to_host),
                };
                found.extend(self.judge(block, &access, line, is_to_host, is_inside));
                if is_queued && !is_pageable && !is_read_now {
                    self.accesses.add(block.id, access, &self.lines);
                    *put = Some((block.id, point));
                }
            }
            if is_queued && is_capturing {
                self.graphs.note(stream, call.site, block.id, range, kind);
            }
        }
        self.threads.entry(thread).last = Some((call.site, put));
        if is_queued && is_pageable {
            self.lines.synchronise(stream, call.device);
        }
        found
    }

    pub(super) fn access(&self, call: &Call, point: Point, range: Range, kind: Kind) -> Access {
        let lane = self.lines.lane(point.line);
        Access {
            from: range.address,
            to: range.address.saturating_add(range.extent),
            is_whole: range.is_whole,
            kind,
            point,
            side: Side { call: *call, lane },
            tensor: 0,
        }
    }

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
        let thread = self.threads.entry(thread);
        thread.freeing = None;
        let last = thread.last.take().filter(|last| last.0 == site);
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
        let End::Block(block) = self.end(used.address, place) else {
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
        if self.is_capturing() && (self.graphs.has(stream) || !call.function.is_async) {
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

/// The families whose use is followed.
pub(super) fn is_followed(family: Family) -> bool {
    matches!(
        family,
        Family::Device
            | Family::Dvpp
            | Family::DvppMpi
            | Family::Pool
            | Family::Managed
            | Family::Mapped
            | Family::Pinned
            | Family::Registered
    )
}

pub(super) fn is_host(family: Family) -> bool {
    matches!(family, Family::Pinned | Family::Registered)
}
