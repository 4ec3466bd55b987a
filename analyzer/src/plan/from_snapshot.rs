//! Reads from a memory snapshot of PyTorch or torch_npu what the program asked of its caching allocator. Unlike a log, a snapshot has the
//! sizes, streams, private pools and both ends of every release; it lacks what others took of the device.

use std::collections::HashMap;

use aclsan_allocators::caching::{Rules, Settings, TORCH_CUDA, TORCH_NPU};
use aclsan_allocators::request::{Asked, Part, Step};

use super::recording::{Asker, Parts, Recording};
use crate::logs::readers::torch_snapshot::{Action, Block, Entry, Snapshot, StackId, State};

/// The function of frameworks that returns what is cached.
const EMPTY_CACHE: &str = "empty_cache";

/// The recording of the device whose history is longest; of `device`, if one is given. `None` without a history.
pub fn read(snapshot: &Snapshot, device: Option<i32>) -> Option<Recording> {
    let traces = (0..).zip(&snapshot.traces);
    let traces = traces.filter(|&(number, _)| device.is_none_or(|device| device == number));
    let (device, entries) = traces.max_by_key(|(number, trace)| (trace.len(), -number))?;
    if entries.is_empty() {
        return None;
    }
    let rules = rules(snapshot);
    let mut times = entries.iter().map(|entry| entry.time_us);
    let mut reader = Reader {
        snapshot,
        recording: Recording {
            of: Asker::Caching(rules),
            device,
            settings: settings(snapshot, entries),
            ..Recording::default()
        },
        parts: Parts::default(),
        live: HashMap::new(),
        streams: HashMap::new(),
        pools: HashMap::from([((0, 0), 0)]),
        reserved: 0,
        began_us: times.find(|&us| us > 0).unwrap_or(0), // torch_npu 2.7 has no times.
    };
    let began = snapshot
        .annotations
        .iter()
        .filter(|annotation| !annotation.is_end);
    reader.recording.epochs = began
        .map(|annotation| (reader.ns(annotation.time_us), annotation.name.to_string()))
        .collect();
    reader.begin(device, entries);
    for entry in entries {
        reader.see(entry);
    }
    Some(reader.recording)
}

/// A label for a stack: the innermost function that is no framework's.
pub fn label(snapshot: &Snapshot, stack: u32) -> String {
    let is_own = |file: &str| {
        file.ends_with(".py") && !file.contains("/site-packages/") && !file.contains("/torch/")
    };
    let frames = || snapshot.stacks.frames(StackId(stack));
    let frame = frames().find(|frame| is_own(&frame.file));
    let Some(frame) = frame.or_else(|| frames().next()) else {
        return String::new();
    };
    let file = frame.file.rsplit('/').next().unwrap_or_default();
    match file.is_empty() {
        true => frame.function.to_string(),
        false => format!("{} {file}:{}", frame.function, frame.line),
    }
}

/// torch_npu asks for 32 bytes more than a tensor has, which shows in sizes of some blocks. If it shows in none, a snapshot without settings is
/// taken for torch_npu's: PyTorch has written them since 2.1, torch_npu 2.7 does not.
fn rules(snapshot: &Snapshot) -> Rules {
    let rounded = |rules, bytes| Settings::new(rules).rounded(bytes);
    let blocks = snapshot.segments.iter().flat_map(|segment| &segment.blocks);
    let (mut npu, mut cuda) = (0, 0);
    for block in blocks.filter(|block| block.state == State::Allocated) {
        let (padded, plain) = (
            rounded(TORCH_NPU, block.requested),
            rounded(TORCH_CUDA, block.requested),
        );
        npu += u32::from(padded != plain && block.size == padded);
        cuda += u32::from(padded != plain && block.size == plain);
    }
    let is_named = (snapshot.settings.iter()).any(|(key, _)| key == TORCH_NPU.variable);
    let is_silent = npu == cuda && snapshot.settings.is_empty();
    match npu > cuda || is_named || is_silent {
        true => TORCH_NPU,
        false => TORCH_CUDA,
    }
}

/// The settings that the snapshot names or shows, as they are written in the environment.
fn settings(snapshot: &Snapshot, entries: &[Entry]) -> String {
    let named = |name: &str| {
        let known = snapshot.settings.iter().find(|(key, _)| key == name);
        known.map(|(_, value)| value.as_str())
    };
    let text = [
        TORCH_NPU.variable,
        TORCH_CUDA.variable,
        "PYTORCH_ALLOC_CONF",
    ];
    if let Some(text) = text.into_iter().find_map(named) {
        return text.to_owned();
    }
    let mut mapped = entries
        .iter()
        .filter(|entry| entry.action == Action::SegmentMap);
    match named("expandable_segments") == Some("True") || mapped.next().is_some() {
        true => "expandable_segments:True".to_owned(),
        false => String::new(),
    }
}

struct Reader<'a> {
    snapshot: &'a Snapshot,
    recording: Recording,
    parts: Parts,
    live: HashMap<u64, Part>,
    streams: HashMap<u64, u32>,
    pools: HashMap<(u64, u64), u32>,
    reserved: u64,
    began_us: u64,
}

impl Reader<'_> {
    /// The state before the history began: blocks and segments that it only ends, or does not mention.
    fn begin(&mut self, device: i32, entries: &[Entry]) {
        let mut given: HashMap<u64, bool> = HashMap::new();
        let mut early = Vec::new();
        let (mut grown, mut shrunk) = (0_u64, 0_u64);
        for entry in entries {
            match entry.action {
                Action::Alloc => drop(given.insert(entry.address, true)),
                Action::FreeCompleted if given.insert(entry.address, false) != Some(true) => {
                    early.push(entry);
                }
                Action::SegmentAlloc | Action::SegmentMap => grown += entry.size,
                Action::SegmentFree | Action::SegmentUnmap => shrunk += entry.size,
                _ => {}
            }
        }
        for entry in early {
            self.allocate(0, entry, entry.size);
        }
        let segments = self.snapshot.segments.iter();
        let segments = segments.filter(|segment| segment.device == device);
        let mut at_end = 0_u64;
        for segment in segments {
            at_end = at_end.saturating_add(segment.size);
            let blocks = segment.blocks.iter();
            let kept = blocks.filter(|block| block.state != State::Inactive);
            for block in kept.filter(|block| !given.contains_key(&block.address)) {
                let asked = self.asked(block, segment.stream, segment.pool);
                let part = self.parts.take();
                self.live.insert(block.address, part);
                self.recording
                    .add(0, block.stack.0, Step::Allocate(part, asked));
            }
        }
        self.recording.inexact = self.live.len() as u64;
        self.reserved = at_end.saturating_add(shrunk).saturating_sub(grown);
        self.recording.reserved_peak = Some(self.reserved);
    }

    fn asked(&mut self, block: &Block, stream: u64, pool: (u64, u64)) -> Asked {
        Asked {
            bytes: block.requested,
            stream: self.stream(stream),
            pool: self.pool(pool),
        }
    }

    fn stream(&mut self, stream: u64) -> u32 {
        let next = self.streams.len() as u32;
        *self.streams.entry(stream).or_insert(next)
    }

    fn pool(&mut self, pool: (u64, u64)) -> u32 {
        let next = self.pools.len() as u32;
        *self.pools.entry(pool).or_insert(next)
    }

    fn allocate(&mut self, ns: u64, entry: &Entry, bytes: u64) {
        let asked = Asked {
            bytes,
            stream: self.stream(entry.stream),
            pool: self.pool(entry.pool.unwrap_or_default()),
        };
        let part = self.parts.take();
        if let Some(lost) = self.live.insert(entry.address, part) {
            self.recording.add(ns, entry.stack.0, Step::Release(lost));
            self.parts.give_back(lost);
        }
        self.recording
            .add(ns, entry.stack.0, Step::Allocate(part, asked));
    }

    fn ns(&self, time_us: u64) -> u64 {
        time_us.saturating_sub(self.began_us).saturating_mul(1000)
    }

    fn see(&mut self, entry: &Entry) {
        let ns = entry
            .time_us
            .saturating_sub(self.began_us)
            .saturating_mul(1000);
        let site = entry.stack.0;
        match entry.action {
            Action::Alloc => self.allocate(ns, entry, entry.size),
            Action::FreeRequested => {
                if let Some(&part) = self.live.get(&entry.address) {
                    self.recording.add(ns, site, Step::Retire(part));
                }
            }
            Action::FreeCompleted => {
                if let Some(part) = self.live.remove(&entry.address) {
                    self.parts.give_back(part);
                    self.recording.add(ns, site, Step::Release(part));
                }
            }
            Action::SegmentAlloc | Action::SegmentMap => {
                self.reserved = self.reserved.saturating_add(entry.size);
                let peak = &mut self.recording.reserved_peak;
                *peak = (*peak).max(Some(self.reserved));
                if entry.action == Action::SegmentAlloc {
                    self.recording.segments.push((entry.size, entry.address));
                }
            }
            Action::SegmentFree | Action::SegmentUnmap => {
                self.reserved = self.reserved.saturating_sub(entry.size);
                let last = self.recording.steps.last().map(|last| last.step);
                if last != Some(Step::EmptyCache) && self.is_in_empty_cache(entry.stack) {
                    self.recording.add(ns, site, Step::EmptyCache);
                }
            }
            Action::OutOfMemory | Action::Snapshot | Action::Other => {}
        }
    }

    /// Whether a segment was released because the program asked for that. Without a stack, it is taken to be so.
    fn is_in_empty_cache(&self, stack: StackId) -> bool {
        let mut frames = self.snapshot.stacks.frames(stack).peekable();
        frames.peek().is_none() || frames.any(|frame| &*frame.function == EMPTY_CACHE)
    }
}
