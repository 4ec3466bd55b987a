//! Converts a snapshot to an event log.
//!
//! Segments become device memory (`rtMalloc`, whose sizes nobody rounds further) and a heap of `mstx` each, blocks become regions of the
//! pool `PyTorch`. A block counts from `alloc` to `free_completed`: until then its room is not free.
//!
//! A segment that grows is one heap, and a piece of memory for each time it grew, cut where it shrinks later. A block over several pieces is
//! a region in each of them, as a region must lie in one block of the runtime's.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use aclsan_log::{BlockId, CallSiteId, Event, PythonFrame};

use super::devices::{devices, of_device, share_addresses};
use super::prehistory::{Early, Prehistory, Timed, infer, is_given, timeline};
use super::ranges::Ranges;
use super::snapshot::*;
use crate::logs::readers::Imported;
use crate::logs::readers::recording::{self, Recording};

/// Status for lack of memory (`ACL_ERROR_RT_MEMORY_ALLOCATION`).
const OUT_OF_MEMORY: i32 = 207_001;
/// The allocator's own rounding (`kMinBlockSize`, the same in torch_npu).
const ROUNDING: u64 = 512;

/// The log, and what was presupposed.
pub struct Converted {
    pub log: Imported,
    /// Blocks that are older than the history.
    pub early_blocks: usize,
    /// Blocks whose release the history does not have.
    pub ended_unseen: usize,
}

/// Converts; `taken_ns` is when the file was written, for snapshots without times. In a log an address is one of a single device, so devices
/// that share addresses get a log each.
pub fn logs(snapshot: &Snapshot, name: &str, taken_ns: u64) -> Vec<Converted> {
    let devices = devices(snapshot);
    if devices.len() < 2 || !share_addresses(snapshot) {
        return vec![log(snapshot, name, taken_ns, String::new())];
    }
    let logs = devices.into_iter().map(|device| {
        let own = of_device(snapshot, device);
        log(&own, name, taken_ns, format!("device{device}"))
    });
    logs.collect()
}

fn log(snapshot: &Snapshot, name: &str, taken_ns: u64, label: String) -> Converted {
    let timeline = timeline(snapshot);
    let parts: usize = snapshot.segments.iter().map(|s| 1 + s.blocks.len()).sum();
    let mut work = 64 * (timeline.len() + parts) + 1024;
    let prehistory = infer(snapshot, &timeline, &mut work);
    let times = timeline.iter().map(|(time_us, _)| *time_us);
    let first = times.chain(snapshot.annotations.iter().map(|a| a.time_us));
    let began_us = first.filter(|time_us| *time_us > 0).min();
    let began_us = began_us.unwrap_or(taken_ns / 1000);
    let mut converter = Converter {
        snapshot,
        log: Recording::new(0, began_us.saturating_mul(1000), name, "a PyTorch program"),
        pieces: Ranges::default(),
        segments: Ranges::default(),
        blocks: Ranges::default(),
        ranges: HashMap::new(),
        handles: 0,
        work,
    };
    for early in &prehistory.segments {
        converter.map(early, &prehistory);
    }
    for early in &prehistory.blocks {
        converter.block(early, rounded(early.range.1 - early.range.0));
    }
    let mut annotations = snapshot.annotations.iter().peekable();
    for (number, (time_us, timed)) in timeline.iter().enumerate() {
        while let Some(annotation) = annotations.next_if(|a| a.time_us <= *time_us) {
            converter.at(annotation.time_us, began_us);
            converter.annotation(annotation);
        }
        converter.at(*time_us, began_us);
        converter.entry(number, timed, &prehistory);
    }
    for annotation in annotations {
        converter.at(annotation.time_us, began_us);
        converter.annotation(annotation);
    }
    let ended_unseen = converter.end_unseen(&prehistory);
    Converted {
        log: converter.log.finish(label, 0),
        early_blocks: prehistory.blocks.len(),
        ended_unseen,
    }
}

struct Converter<'a> {
    snapshot: &'a Snapshot,
    log: Recording<StackId>,
    /// Pieces of segments, which are mapped and unmapped as a whole.
    pieces: Ranges<BlockId>,
    /// Segments: heap, and whether it grows.
    segments: Ranges<(u64, bool)>,
    /// Blocks: the handles of their regions, and the pool.
    blocks: Ranges<(RangeInclusive<u64>, (u64, u64))>,
    /// Open ranges of annotations.
    ranges: HashMap<Arc<str>, Vec<u64>>,
    handles: u64,
    /// Ranges that may still be looked at.
    work: usize,
}

impl Converter<'_> {
    fn at(&mut self, time_us: u64, began_us: u64) {
        let since = time_us.saturating_sub(began_us);
        self.log.synth.at(since.saturating_mul(1000));
    }

    fn entry(&mut self, number: usize, (device, entry): &Timed, prehistory: &Prehistory) {
        let at = entry.address;
        let early = Early {
            device: *device,
            range: (at, at.saturating_add(entry.size.max(1))),
            pool: prehistory.pool(*device, entry),
            stack: entry.stack,
            is_mapped: matches!(entry.action, Action::SegmentMap | Action::SegmentUnmap),
        };
        match entry.action {
            Action::SegmentAlloc | Action::SegmentMap => self.map(&early, prehistory),
            Action::SegmentFree | Action::SegmentUnmap => self.unmap(&early),
            Action::Alloc => {
                let known = prehistory.sizes.get(&number).copied();
                self.block(&early, known.unwrap_or_else(|| rounded(entry.size)));
            }
            Action::FreeCompleted => {
                self.free(*device, at, entry.stack);
            }
            Action::OutOfMemory => {
                let site = self.site("rtMalloc", *device, entry.stack);
                let (size, status) = (entry.size, OUT_OF_MEMORY);
                let failed = Event::AllocationFailed { site, size, status };
                self.log.event(0, failed);
            }
            Action::FreeRequested | Action::Snapshot | Action::Other => {}
        }
    }

    /// Memory of the device, as far as it is not there already.
    fn map(&mut self, new: &Early, prehistory: &Prehistory) {
        for (from, to) in self.pieces.gaps(new.device, new.range, &mut self.work) {
            let cuts = prehistory
                .cuts
                .range((new.device, from + 1)..(new.device, to));
            let cuts: Vec<u64> = cuts.take(self.work).map(|(_, cut)| *cut).collect();
            self.work -= cuts.len();
            let mut start = from;
            for end in cuts.into_iter().chain([to]) {
                let site = self.site("rtMalloc", new.device, new.stack);
                let block = self.log.allocation(0, site, (start, end - start));
                self.pieces.insert(new.device, (start, end), block);
                start = end;
            }
            self.extend(new, (from, to));
        }
    }

    /// A segment begins, or grows: what touches it and grows, too, is one with it.
    fn extend(&mut self, new: &Early, (mut from, mut to): (u64, u64)) {
        if new.is_mapped {
            let around = (from.saturating_sub(1), to.saturating_add(1));
            let touching: Vec<_> = self.segments.over(new.device, around).collect();
            for (start, end) in touching {
                let grows = self
                    .segments
                    .get(new.device, start)
                    .is_some_and(|(_, grows)| *grows);
                if grows {
                    self.end_heap(new, start);
                    (from, to) = (from.min(start), to.max(end));
                }
            }
        }
        self.begin_heap(new, (from, to), new.is_mapped);
    }

    fn begin_heap(&mut self, of: &Early, (from, to): (u64, u64), grows: bool) {
        self.handles += 1;
        let (heap, domain) = (self.handles, self.domain(of.pool));
        let values = [domain, heap, from, to - from, of.device as u32 as u64];
        self.call("mstxMemHeapRegister", of.device, of.stack, &values);
        self.segments.insert(of.device, (from, to), (heap, grows));
    }

    /// Returns whether it grows.
    fn end_heap(&mut self, of: &Early, from: u64) -> bool {
        let Some((heap, grows)) = self.segments.remove(of.device, from) else {
            return false;
        };
        self.call("mstxMemHeapUnregister", of.device, of.stack, &[0, heap]);
        grows
    }

    /// The runtime has the memory back.
    fn unmap(&mut self, old: &Early) {
        let inside = |(from, to): &(u64, u64)| old.range.0 <= *from && *to <= old.range.1;
        let pieces: Vec<_> = self
            .pieces
            .over(old.device, old.range)
            .filter(inside)
            .collect();
        for (from, to) in pieces {
            // No block can be in it, unless the history lacks its end.
            let blocks: Vec<_> = self.blocks.over(old.device, (from, to)).collect();
            for (address, _) in blocks {
                self.free(old.device, address, old.stack);
            }
            let segments: Vec<_> = self.segments.over(old.device, (from, to)).collect();
            for (start, end) in segments {
                let grows = self.end_heap(old, start);
                for rest in [(start, from), (to, end)] {
                    if rest.0 < rest.1 {
                        self.begin_heap(old, rest, grows);
                    }
                }
            }
            if let Some(block) = self.pieces.remove(old.device, from) {
                let site = self.site("aclrtFree", old.device, old.stack);
                self.log.event(0, Event::Release { block, site });
            }
        }
    }

    /// A block of `size` bytes is given out. What was in the range must have ended; a size that reaches further was rounded too far.
    fn block(&mut self, new: &Early, size: u64) {
        let from = new.range.0;
        let over: Vec<_> = self.blocks.over(new.device, new.range).collect();
        for (other, _) in over {
            self.free(new.device, other, new.stack);
        }
        let end = from.saturating_add(size);
        let next = self.blocks.over(new.device, (from, end)).next();
        let to = next.map_or(end, |(start, _)| start);
        // Bytes beyond the segment are the damaged file's mistake, not the program's.
        let pieces = self.pieces.over(new.device, (from, to)).take(self.work);
        let mut parts: Vec<_> = pieces
            .map(|(start, end)| (start.max(from), end.min(to)))
            .collect();
        self.work -= parts.len();
        if parts.is_empty() {
            parts.push((from, to));
        }
        let first = self.handles + 1;
        let (domain, device) = (self.domain(new.pool), new.device as u32 as u64);
        for (from, to) in parts {
            self.handles += 1;
            let values = [domain, 0, from, to - from, device, self.handles];
            self.call("mstxMemRegionsRegister", new.device, new.stack, &values);
        }
        let handles = first..=self.handles;
        self.blocks
            .insert(new.device, (from, to), (handles, new.pool));
    }

    fn free(&mut self, device: i32, address: u64, stack: StackId) {
        if let Some((handles, pool)) = self.blocks.remove(device, address) {
            let domain = self.domain(pool);
            for handle in handles {
                let values = [domain, 1, handle];
                self.call("mstxMemRegionsUnregister", device, stack, &values);
            }
        }
    }

    /// Ends what the state at the end does not have. Returns how many blocks those were.
    fn end_unseen(&mut self, prehistory: &Prehistory) -> usize {
        let mut given: HashSet<(i32, u64)> = HashSet::new();
        for segment in &self.snapshot.segments {
            let blocks = segment.blocks.iter().filter(|block| is_given(block));
            given.extend(blocks.map(|block| (segment.device, block.address)));
        }
        let blocks = self.blocks.all();
        let gone = blocks.filter(|(device, (from, _), _)| !given.contains(&(*device, *from)));
        let gone: Vec<_> = gone.map(|(device, range, _)| (device, range.0)).collect();
        for &(device, address) in &gone {
            self.free(device, address, StackId::default());
        }
        let pieces = self.pieces.all();
        let lost = pieces.filter(|(device, range, _)| {
            let mut last = prehistory.last.over(*device, *range);
            last.next().is_none()
        });
        let lost: Vec<_> = lost.map(|(device, range, _)| (device, range)).collect();
        for (device, range) in lost {
            self.unmap(&Early {
                device,
                range,
                pool: (0, 0),
                stack: StackId::default(),
                is_mapped: false,
            });
        }
        gone.len()
    }

    fn annotation(&mut self, annotation: &Annotation) {
        let (device, stack) = (annotation.device, StackId::default());
        let open = self.ranges.entry(annotation.name.clone()).or_default();
        if annotation.is_end {
            if let Some(range) = open.pop() {
                self.call("mstxRangeEnd", device, stack, &[0, range]);
            }
            return;
        }
        self.handles += 1;
        open.push(self.handles);
        let message = self.log.text(&annotation.name);
        let values = [0, message, 0, self.handles];
        self.call("mstxRangeStartA", device, stack, &values);
    }

    fn domain(&mut self, pool: (u64, u64)) -> u64 {
        match pool {
            (0, 0) => self.log.text("PyTorch"),
            (first, second) => {
                let name = format!("PyTorch, private pool {first}.{second}");
                self.log.text(&name)
            }
        }
    }

    fn call(&mut self, function: &'static str, device: i32, stack: StackId, values: &[u64]) {
        let site = self.site(function, device, stack);
        self.log.call(0, site, values);
    }

    fn site(&mut self, function: &'static str, device: i32, stack: StackId) -> CallSiteId {
        let stacks = &self.snapshot.stacks;
        self.log.site((function, 0, device), stack, || {
            stacks.frames(stack).map(frame).collect()
        })
    }
}

fn rounded(size: u64) -> u64 {
    size.max(1)
        .checked_next_multiple_of(ROUNDING)
        .unwrap_or(size)
}

/// PyTorch does not say which frames are Python's: their files do.
fn frame(frame: &Frame) -> recording::Frame {
    let is_python = frame.file.ends_with(".py") || frame.file.starts_with('<');
    let file = match is_python {
        true => frame.file.to_string(),
        false => format!("{}{}", PythonFrame::NATIVE, frame.file),
    };
    recording::Frame {
        function: frame.function.to_string(),
        file,
        line: frame.line,
    }
}
