//! Reads from a log what a program asked of its allocator.
//!
//! A pool that reports its parts (`aclsan.h`, mstx) is the allocator; without one, the program's own blocks are the requests. What a log
//! does not say is inferred: the stream of a part is the first one that used its segment, its private pool the graph that was being captured on it
//! when the segment was allocated, and the cache was emptied where a segment was released in a function of that name, or without
//! a refused allocation before it.

mod calls;
mod resolve;
mod uses;

use std::collections::HashMap;

use aclsan_allocators::caching::{Settings, TORCH_NPU};
use aclsan_allocators::request::Part;
use aclsan_log::batch::{Batch, BatchEntry, EventKind};
use aclsan_log::record::ALLOCATOR_SETTINGS;
use aclsan_log::{BlockId, CallSiteId, Event, Log, PythonFrame};
use aclsan_rules::api::family::Family;

use super::recording::Recording;
use super::segments::{SegmentId, Segments};
use crate::replay::{Sites, page_bytes, read_between};
use calls::{Key, Source};
use uses::{Uses, first_use};

/// The function of frameworks that returns what is cached.
const EMPTY_CACHE: &str = "empty_cache";

/// A step of any source; what depends on later events is open.
enum Draft {
    Allocate {
        source: u32,
        part: Part,
        bytes: u64,
        /// The size asked for, once a tensor shows it.
        asked: Option<u64>,
        segment: Option<SegmentId>,
        stream: Option<u32>,
    },
    Release {
        source: u32,
        part: Part,
    },
    /// Memory of the device, by number, came or went.
    Taken(u32),
    Returned {
        held: u32,
        is_empty_cache: bool,
    },
    GraphGone(u32),
}

/// Memory of the device.
struct Held {
    device: i32,
    /// Bytes asked for, and those of the pages that they take.
    size: u64,
    pages: u64,
    address: u64,
    /// Whether it has no address of its own, which a mapping gives it.
    is_physical: bool,
    /// The block or range that it is, or is mapped to.
    segment: Option<SegmentId>,
}

struct Reader<'a> {
    log: &'a Log,
    sites: Sites,
    sources: Vec<Source>,
    by_key: HashMap<Key, usize>,
    /// Regions of mstx by handle: domain and address.
    handles: HashMap<u64, (u64, u64)>,
    segments: Segments,
    held: Vec<Held>,
    held_by_block: HashMap<BlockId, u32>,
    /// Physical memory by handle.
    physical: HashMap<u64, u32>,
    /// Numbers of streams.
    streams: HashMap<u64, u32>,
    drafts: Vec<Draft>,
    epochs: Vec<(u64, String)>,
    /// Time, site and device of each.
    moments: Vec<(u64, u32, i32)>,
    uses: Uses,
    /// How the recorded cache rounds.
    settings: Settings,
    /// Numbers of graphs that are being captured, by stream; of finished ones by handle.
    captures: HashMap<u32, u32>,
    graphs: HashMap<u64, u32>,
    graph_count: u32,
    was_refused: bool,
    pages: HashMap<i32, u64>,
    capacity: HashMap<i32, u64>,
    unexplained: HashMap<i32, u64>,
}

/// The recording of the allocator that held most of a device; of `device`, if one is given. `None` if nobody allocated memory of one.
pub fn read(log: &Log, device: Option<i32>) -> Option<Recording> {
    let mut reader = Reader::new(log);
    read_between(log, |batch, _| {
        for step in batch.entries() {
            reader.see(step, batch);
        }
    });
    reader.finish(device)
}

/// The settings of the recorded cache, as far as they are known.
fn settings(log: &Log) -> Settings {
    let known = log
        .properties
        .get(ALLOCATOR_SETTINGS)
        .map_or("", String::as_str);
    Settings::parse(TORCH_NPU, known).unwrap_or_else(|_| Settings::new(TORCH_NPU))
}

impl<'a> Reader<'a> {
    fn new(log: &'a Log) -> Self {
        Self {
            log,
            sites: Sites::new(log).0,
            sources: Vec::new(),
            by_key: HashMap::new(),
            handles: HashMap::new(),
            segments: Segments::default(),
            held: Vec::new(),
            held_by_block: HashMap::new(),
            physical: HashMap::new(),
            streams: HashMap::from([(0, 0)]),
            drafts: Vec::new(),
            epochs: Vec::new(),
            moments: Vec::new(),
            uses: Uses::default(),
            settings: settings(log),
            captures: HashMap::new(),
            graphs: HashMap::new(),
            graph_count: 0,
            was_refused: false,
            pages: HashMap::new(),
            capacity: HashMap::new(),
            unexplained: HashMap::new(),
        }
    }

    fn see(&mut self, step: &BatchEntry, batch: &Batch) {
        let (ns, tid) = (step.ns, step.tid);
        match step.what {
            EventKind::Allocation {
                block,
                site,
                address,
                size,
            } => self.allocated(ns, block, site, (address, size)),
            EventKind::Release { block, site } => self.released(ns, block, site),
            EventKind::Short(ref short) => {
                self.called((ns, tid), short.site, short.values().all());
            }
            EventKind::Fill(number) => {
                let fill = batch.fill(number);
                self.used(&[fill.to], fill.stream);
            }
            EventKind::Other(number) => match *batch.other(number) {
                Event::Call {
                    site,
                    ref values,
                    status: 0,
                } => self.called((ns, tid), site, values.all()),
                Event::AllocationFailed { .. } => self.was_refused = true,
                Event::Use {
                    address, stream, ..
                } => self.used(&[address], stream),
                // A blocking copy has no stream.
                Event::Copy {
                    to, from, stream, ..
                } if stream != 0 => self.used(&[to, from], stream),
                Event::Memory { site, free, total } => self.told(site, free, total),
                _ => {}
            },
        }
    }

    fn used(&mut self, addresses: &[u64], stream: u64) {
        let stream = self.stream(stream);
        for &address in addresses {
            self.uses
                .used(address, stream, &self.drafts, &mut self.segments);
        }
    }

    fn launched(&mut self, stream: u64, parts: &[usize]) {
        let stream = self.stream(stream);
        for &draft in parts {
            first_use(&self.drafts[draft], stream, &mut self.segments);
        }
    }

    fn stream(&mut self, stream: u64) -> u32 {
        let next = self.streams.len() as u32;
        *self.streams.entry(stream).or_insert(next)
    }

    fn allocated(
        &mut self,
        ns: u64,
        block: BlockId,
        site: CallSiteId,
        (address, size): (u64, u64),
    ) {
        let Some(call) = self.sites.call(site, |_| true) else {
            return;
        };
        let Some(family) = call.function.family() else {
            return;
        };
        let captures = self.captures.iter();
        let captures = captures.map(|(&stream, &graph)| (stream, graph)).collect();
        let segment = match family {
            Family::Reserved => {
                self.segments
                    .add(block, (address, size), (call.device, captures));
                return;
            }
            Family::Physical => {
                self.physical.insert(address, self.held.len() as u32);
                None
            }
            Family::Imported => return,
            family if family.is_of_device() => Some(self.segments.add(
                block,
                (address, size),
                (call.device, captures),
            )),
            _ => return,
        };
        let pages = page_bytes(&self.sites, site, (address, size));
        let held = self.held.len() as u32;
        self.held.push(Held {
            device: call.device,
            size,
            pages,
            address,
            is_physical: family == Family::Physical,
            segment,
        });
        self.held_by_block.insert(block, held);
        *self.pages.entry(call.device).or_default() += pages;
        self.draft(ns, site, call.device, Draft::Taken(held));
    }

    fn released(&mut self, ns: u64, block: BlockId, site: CallSiteId) {
        self.segments.remove(block);
        let Some(held) = self.held_by_block.remove(&block) else {
            return;
        };
        let Held {
            device,
            pages: bytes,
            ..
        } = self.held[held as usize];
        let pages = self.pages.entry(device).or_default();
        *pages = pages.saturating_sub(bytes);
        let is_empty_cache = self.is_in_empty_cache(site).unwrap_or(!self.was_refused);
        self.draft(
            ns,
            site,
            device,
            Draft::Returned {
                held,
                is_empty_cache,
            },
        );
    }

    /// Whether the call came from the function that empties the cache; `None` if the stack has no Python.
    fn is_in_empty_cache(&self, site: CallSiteId) -> Option<bool> {
        let frames = self.log.site(site).frames.iter();
        let mut names = frames
            .filter_map(|&frame| self.log.python(PythonFrame::of(frame)?))
            .map(|(name, _)| name)
            .peekable();
        names.peek()?;
        Some(names.any(|name| name.ends_with(EMPTY_CACHE)))
    }

    /// The runtime said what is free.
    fn told(&mut self, site: CallSiteId, free: u64, total: u64) {
        let device = self.sites.device(site);
        let known = self.pages.get(&device).copied().unwrap_or(0);
        let rest = total.saturating_sub(free).saturating_sub(known);
        let unexplained = self.unexplained.entry(device).or_default();
        *unexplained = rest.max(*unexplained);
        self.capacity.insert(device, total);
    }

    fn draft(&mut self, ns: u64, site: CallSiteId, device: i32, draft: Draft) {
        self.drafts.push(draft);
        self.moments.push((ns, site.0, device));
    }
}
