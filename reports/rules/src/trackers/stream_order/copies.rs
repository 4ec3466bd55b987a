//! Checks what copies and fills do to the blocks at their ends.
//!
//! A fill of host memory is done before its call returns, whatever stream it is given: it is the host's. Source:
//! AscendCL API reference, `aclrtMemsetD32Async`; runtime 681ef761, `MemSetAsync`, `MemsetD32Async`, and each version
//! since 8.5.0.

use std::ptr;

use aclsan_log::BlockId;

use super::access::{Kind, Range};
use super::access_history::AccessEffect;
use super::copy_end::CopyEnd;
use super::epoch::{Epoch, HOST};
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::family::{is_host_memory, is_race_checked};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::operation::{Copy, Copy2d, Memset};

/// `ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE`: the source is read before the call returns.
const THROUGH_BUFFER: u32 = 5;

/// A copy or fill under check: what both ends have in common.
#[derive(Clone, Copy)]
struct Move<'a> {
    call: &'a Call,
    stream: u64,
    epoch: Option<Epoch>,
    is_queued: bool,
    /// Whether the source is read before the call returns.
    is_buffered: bool,
    is_pageable: bool,
    /// Whether it is blocking work between device addresses, which may go through the default stream.
    is_inside: bool,
    is_to_host: bool,
    /// Whether a capture is running: blocking work may then be refused.
    is_capturing: bool,
}

impl RaceDetector {
    /// A copy of `copy.count` bytes, on `stream` if the function is asynchronous. `to` and `from` are what the
    /// addresses are.
    pub fn copy(
        &mut self,
        call: &Call,
        copy: &Copy,
        [to, from]: [&AddressInfo; 2],
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
        if let (AddressInfo::Live(target, _), AddressInfo::Live(source, _)) = (to, from)
            && call.argument != THROUGH_BUFFER
            && self.is_plain_move(call, target, stream)
            && is_race_checked(source.family())
        {
            let source = Some((range(copy.from), source));
            return self.plainly(call, (range(copy.to), target), source, stream, thread);
        }
        let from = Some((range(copy.from), from));
        self.both_ends(call, (range(copy.to), to), from, stream, thread)
    }

    /// A copy of rows.
    pub fn copy_2d(
        &mut self,
        call: &Call,
        copy: &Copy2d,
        [to, from]: [&AddressInfo; 2],
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
        set: &Memset,
        to: &AddressInfo,
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        if set.count == 0 || set.count > set.room {
            return Vec::new();
        }
        if let AddressInfo::Live(block, _) = to
            && self.is_plain_move(call, block, stream)
            && !is_host_memory(block.family())
        {
            let range = (set.to, set.count);
            return Vec::from_iter(self.fill(call, range, block, stream, thread));
        }
        let range = Range {
            address: set.to,
            extent: set.count,
            is_whole: true,
        };
        self.both_ends(call, (range, to), None, stream, thread)
    }

    /// Fast path for fills, valid while [`RaceDetector::is_plain`]. If the fill of `extent` bytes is on the stream of
    /// the last fill and covers everything known of the block, records it and returns `true`. Otherwise does nothing,
    /// and the caller calls [`RaceDetector::set`] or [`RaceDetector::fill`]. `place` is the block's position in a table
    /// of the caller's that holds no other block there. A queued fill recorded there proves that the memory is not the
    /// host's.
    #[inline(always)]
    pub fn filled_again(
        &mut self,
        call: &Call,
        (address, extent): (u64, u64),
        (block, place): (BlockId, u32),
        stream: u64,
        thread: u32,
    ) -> bool {
        let range = Range {
            address,
            extent,
            is_whole: true,
        };
        let Some(end) = self.timelines.tail(stream) else {
            return false;
        };
        let only = (self.accesses).repeat_at(place, block, end.index, range, Kind::Write);
        let Some(only) = only.filter(|only| ptr::eq(only.side.call.function, call.function)) else {
            return false;
        };
        let (epoch, timeline_kind) = end.push();
        only.replace_with(call, epoch.time, timeline_kind, range);
        self.latest
            .put(thread, call.site, [Some((block, epoch)), None]);
        true
    }

    /// Fills `extent` bytes of `block`: [`RaceDetector::set`] while [`RaceDetector::is_plain`], for memory whose fills
    /// are [queued](crate::api::functions::Function::has_queued_fills), on a stream other than a default one.
    pub fn fill(
        &mut self,
        call: &Call,
        (address, extent): (u64, u64),
        block: &Block,
        stream: u64,
        thread: u32,
    ) -> Option<Finding> {
        let range = Range {
            address,
            extent,
            is_whole: true,
        };
        let epoch = self.timelines.push(stream, call.device);
        let put = epoch.map(|epoch| (block.id, epoch));
        self.latest.put(thread, call.site, [put, None]);
        self.touch(call, epoch?, (range, block), Kind::Write, block)
    }

    /// Whether a copy or fill of `target` is queued on a stream of its own, and there are only streams and events.
    #[inline(always)]
    fn is_plain_move(&self, call: &Call, target: &Block, stream: u64) -> bool {
        let is_own = call.function.is_async && stream != 0;
        is_own && self.is_plain() && is_race_checked(target.family())
    }

    /// [`RaceDetector::both_ends`] for one end in that case. `to` is the written block.
    #[inline(always)]
    fn touch(
        &mut self,
        call: &Call,
        epoch: Epoch,
        (range, block): (Range, &Block),
        kind: Kind,
        to: &Block,
    ) -> Option<Finding> {
        match self.accesses.repeat(block.id, epoch.timeline, range, kind) {
            Some(only) => {
                let timeline_kind = self.timelines.kind_of(epoch.timeline);
                only.replace_with(call, epoch.time, timeline_kind, range);
                None
            }
            None => self.touch_others(call, epoch, (range, block), kind, to),
        }
    }

    #[inline(never)]
    fn touch_others(
        &mut self,
        call: &Call,
        epoch: Epoch,
        (range, block): (Range, &Block),
        kind: Kind,
        to: &Block,
    ) -> Option<Finding> {
        let access = self.access(call, epoch, range, kind);
        let fate = AccessEffect {
            writes: kind == Kind::Write,
            stays: true,
        };
        let old = (self.accesses).check_and_add(
            block.id,
            &access,
            epoch.timeline,
            fate,
            &self.timelines,
        )?;
        let is_to_host = is_host_memory(to.family());
        self.race(&old, block, &access, epoch.timeline, is_to_host, false)
    }

    /// [`RaceDetector::both_ends`] in that case.
    #[inline(always)]
    fn plainly(
        &mut self,
        call: &Call,
        to: (Range, &Block),
        from: Option<(Range, &Block)>,
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        let (mut found, mut put) = (Vec::new(), [None; 2]);
        if let Some(epoch) = self.timelines.push(stream, call.device) {
            found.extend(self.touch(call, epoch, to, Kind::Write, to.1));
            put[0] = Some((to.1.id, epoch));
            if let Some(from) = from {
                found.extend(self.touch(call, epoch, from, Kind::Read, to.1));
                put[1] = Some((from.1.id, epoch));
            }
        }
        self.latest.put(thread, call.site, put);
        found
    }

    #[inline(never)]
    fn both_ends(
        &mut self,
        call: &Call,
        to: (Range, &AddressInfo),
        from: Option<(Range, &AddressInfo)>,
        stream: u64,
        thread: u32,
    ) -> Vec<Finding> {
        self.semaphores.overwritten(to.0.address, to.0.extent);
        let registered = self.registered_at(to.0.address, to.1);
        let target = CopyEnd::of(to.1, registered.as_ref());
        let registered = from.and_then(|(range, place)| self.registered_at(range.address, place));
        let source = from.map(|(_, place)| CopyEnd::of(place, registered.as_ref()));
        let is_host_fill =
            source.is_none() && target.is_host() && !matches!(target, CopyEnd::Unknown);
        let is_queued = call.function.is_async && !is_host_fill;
        let epoch = match is_queued {
            true => self.queue(stream, call.device),
            false => Some(Epoch {
                timeline: HOST,
                time: 0,
            }),
        };
        let is_buffered = call.argument == THROUGH_BUFFER;
        let is_pageable = matches!(target, CopyEnd::Unknown)
            || matches!(source, Some(CopyEnd::Unknown)) && !is_buffered;
        let is_to_host = target.is_host();
        let made = Move {
            call,
            stream,
            epoch,
            is_queued,
            is_buffered,
            is_pageable,
            is_inside: !is_queued && !is_to_host && !source.is_some_and(CopyEnd::is_host),
            is_to_host,
            is_capturing: self.graphs.is_capturing(),
        };
        let mut found = Vec::new();
        let mut put = [None; 2];
        if let CopyEnd::Block(block) = target {
            self.wrote_or_read(&made, block, to.0, Kind::Write, &mut put[0], &mut found);
        }
        if let (Some(CopyEnd::Block(block)), Some((range, _))) = (source, from) {
            self.wrote_or_read(&made, block, range, Kind::Read, &mut put[1], &mut found);
        }
        self.latest.put(thread, call.site, put);
        if is_queued && is_pageable {
            self.timelines.acquire_host(stream, call.device);
        }
        found
    }

    /// Checks one end, `block`. `put` receives where the access is stored.
    #[inline]
    fn wrote_or_read(
        &mut self,
        made: &Move,
        block: &Block,
        range: Range,
        kind: Kind,
        put: &mut Option<(BlockId, Epoch)>,
        found: &mut Vec<Finding>,
    ) {
        // A source that is read at the call races with nothing.
        let is_read_now = kind == Kind::Read && made.is_buffered;
        let is_judged = made.is_queued || !made.is_capturing && !is_read_now;
        if let Some(epoch) = made.epoch.filter(|_| is_judged) {
            let access = self.access(made.call, epoch, range, kind);
            let (timeline, is_to_host) = match is_read_now {
                true => (HOST, false),
                false => (epoch.timeline, made.is_to_host),
            };
            let fate = AccessEffect {
                writes: kind == Kind::Write,
                stays: made.is_queued && !made.is_pageable && !is_read_now,
            };
            let old =
                (self.accesses).check_and_add(block.id, &access, timeline, fate, &self.timelines);
            if let Some(old) = old {
                found.extend(self.race(&old, block, &access, timeline, is_to_host, made.is_inside));
            }
            if fate.stays {
                *put = Some((block.id, epoch));
            }
        }
        // Bound streams do not delay pageable memory: it is copied at the call.
        let is_now = || made.is_pageable && self.graphs.persistent.has(made.stream);
        if made.is_queued && !self.graphs.are_idle() && !is_now() {
            (self.graphs).note(made.stream, made.call.site, block.id, range, kind);
        }
    }
}
