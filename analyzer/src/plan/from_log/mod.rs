//! Reads from a log what a program asked of its allocator.
//!
//! A pool that reports its parts (`aclsan.h`, mstx) is the allocator; without one, the program's own blocks are the requests. What a log
//! does not say is inferred: the stream of a part is the one that used its segment most, its private pool the graph that was being captured when
//! the segment was allocated, and the cache was emptied where a segment was released in a function of that name, or without
//! a refused allocation before it.

mod resolve;
mod uses;

use std::collections::HashMap;

use aclsan_allocators::caching::{Settings, TORCH_NPU};
use aclsan_allocators::request::Part;
use aclsan_log::batch::{Batch, BatchEntry, EventKind};
use aclsan_log::record::ALLOCATOR_SETTINGS;
use aclsan_log::{BlockId, CallSiteId, Event, Log, PythonFrame};
use aclsan_rules::api::family::Family;

use super::recording::{Asker, Parts, Recording};
use super::segments::{SegmentId, Segments};
use crate::replay::{Sites, page_bytes, read_between};
use uses::{Uses, first_use};

/// Domains of mstx whose pool is a caching allocator's.
const CACHING: [&str; 1] = ["ptaCaching"];
/// The function of frameworks that returns what is cached.
const EMPTY_CACHE: &str = "empty_cache";

/// Who gave out parts.
#[derive(Default)]
struct Source {
    asker: Asker,
    device: i32,
    parts: Parts,
    /// Parts by address, with their bytes.
    live: HashMap<u64, (Part, u64)>,
    /// Bytes now, and most.
    bytes: u64,
    peak: u64,
    /// The most that it said it holds.
    reserved_peak: Option<u64>,
}

/// A step of any source; what depends on later events is open.
enum Draft {
    Allocate {
        source: u32,
        part: Part,
        bytes: u64,
        /// What was asked for, once a tensor shows it.
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
    by_name: HashMap<(u64, i32), usize>,
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
    /// Time, site and device of each.
    moments: Vec<(u64, u32, i32)>,
    uses: Uses,
    /// How the recorded cache rounds.
    settings: Settings,
    /// Graphs being captured: stream, thread and number. Finished ones by handle.
    captures: HashMap<u64, (u32, u32)>,
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
            by_name: HashMap::new(),
            handles: HashMap::new(),
            segments: Segments::default(),
            held: Vec::new(),
            held_by_block: HashMap::new(),
            physical: HashMap::new(),
            streams: HashMap::from([(0, 0)]),
            drafts: Vec::new(),
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
            } => self.allocated((ns, tid), block, site, (address, size)),
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
        (ns, tid): (u64, u32),
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
        let capturing = self.captures.values().find(|(thread, _)| *thread == tid);
        let graph = capturing.map_or(0, |&(_, graph)| graph);
        let segment = match family {
            Family::Reserved => {
                self.segments
                    .add(block, (address, size), (call.device, graph));
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
                (call.device, graph),
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

    fn called(&mut self, (ns, tid): (u64, u32), site: CallSiteId, values: &[u64]) {
        let Some(call) = self.sites.call(site, |_| true) else {
            return;
        };
        let at = |index: usize| values.get(index).copied().unwrap_or(0);
        match call.function.name {
            "mstxMemHeapRegister" => {
                // Frameworks say what their whole pool holds.
                let source = self.domain(at(0), at(4) as u32 as i32);
                let most = &mut self.sources[source].reserved_peak;
                *most = Some(most.unwrap_or(0).max(at(3)));
            }
            "mstxMemRegionsRegister" => {
                let device = at(4) as u32 as i32;
                let source = self.domain(at(0), device);
                if at(5) != 0 {
                    self.handles.insert(at(5), (at(0), at(2)));
                }
                self.given(ns, site, (source, device), (at(2), at(3)), None);
            }
            "mstxMemRegionsUnregister" => {
                let (domain, address) = match at(1) {
                    0 => (at(0), at(2)),
                    _ => match self.handles.remove(&at(2)) {
                        Some(region) => region,
                        None => return,
                    },
                };
                let of_domain = self.by_name.iter().filter(|((of, _), _)| *of == domain);
                let sources: Vec<usize> = of_domain.map(|(_, &source)| source).collect();
                for source in sources {
                    self.taken_back(ns, site, source, address);
                }
            }
            "aclsan_pool_create" => {
                let name = self.text(at(1));
                self.source((u64::MAX - at(0), 0), Asker::Pool(name));
            }
            "aclsan_pool_alloc" => {
                let segment = self.segments.at(at(1));
                let device = segment.map_or(call.device, |id| self.segments.get(id).device);
                let source = self.source((u64::MAX - at(0), 0), Asker::Pool(String::new()));
                self.given(ns, site, (source, device), (at(1), at(2)), Some(at(3)));
            }
            "aclsan_pool_free" => {
                let source = self.source((u64::MAX - at(0), 0), Asker::Pool(String::new()));
                self.taken_back(ns, site, source, at(1));
            }
            "aclmdlRICaptureBegin" | "aclmdlRICaptureToModelRIBegin" => {
                self.graph_count += 1;
                self.captures.insert(at(0), (tid, self.graph_count));
            }
            "aclmdlRICaptureEnd" => {
                if let Some((_, graph)) = self.captures.remove(&at(0)) {
                    self.graphs.insert(at(1), graph);
                }
            }
            "aclmdlRIDestroy" => {
                if let Some(graph) = self.graphs.remove(&at(0)) {
                    self.draft(ns, site, call.device, Draft::GraphGone(graph));
                }
            }
            _ if call.function.family() == Some(Family::Mapped) => {
                let of = self.physical.get(&at(3)).copied();
                if let Some(held) = of {
                    self.held[held as usize].segment = self.segments.at(at(0));
                }
            }
            _ if !self.sources.is_empty() => {
                let launch = self.uses.called(
                    call.function,
                    (tid, values),
                    &mut self.drafts,
                    &self.settings,
                );
                if let Some((stream, parts)) = launch {
                    self.launched(stream, &parts);
                }
            }
            _ => {}
        }
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

    fn text(&self, number: u64) -> String {
        let text = u32::try_from(number)
            .ok()
            .and_then(|id| self.log.texts.get(&id));
        text.cloned().unwrap_or_default()
    }

    fn domain(&mut self, domain: u64, device: i32) -> usize {
        let name = self.text(domain);
        let asker = match CACHING.contains(&name.as_str()) {
            true => Asker::Caching(TORCH_NPU),
            false => Asker::Pool(name),
        };
        self.source((domain, device), asker)
    }

    fn source(&mut self, key: (u64, i32), asker: Asker) -> usize {
        *self.by_name.entry(key).or_insert_with(|| {
            self.sources.push(Source {
                asker,
                ..Source::default()
            });
            self.sources.len() - 1
        })
    }

    fn given(
        &mut self,
        ns: u64,
        site: CallSiteId,
        (source, device): (usize, i32),
        (address, bytes): (u64, u64),
        stream: Option<u64>,
    ) {
        let stream = stream.map(|stream| self.stream(stream));
        self.taken_back(ns, site, source, address); // Its end was not announced.
        let segment = self.segments.at(address);
        if let Some(segment) = segment {
            self.segments.cut(segment, source);
        }
        let of = &mut self.sources[source];
        let part = of.parts.take();
        of.live.insert(address, (part, bytes));
        of.device = device;
        of.bytes = of.bytes.saturating_add(bytes);
        of.peak = of.peak.max(of.bytes);
        self.was_refused = false;
        self.uses.given(address, self.drafts.len());
        let draft = Draft::Allocate {
            source: source as u32,
            part,
            bytes,
            asked: None,
            segment,
            stream,
        };
        self.draft(ns, site, device, draft);
    }

    fn taken_back(&mut self, ns: u64, site: CallSiteId, source: usize, address: u64) {
        let of = &mut self.sources[source];
        if let Some((part, bytes)) = of.live.remove(&address) {
            of.bytes = of.bytes.saturating_sub(bytes);
            of.parts.give_back(part);
            let source = source as u32;
            self.draft(ns, site, -1, Draft::Release { source, part });
        }
    }

    fn draft(&mut self, ns: u64, site: CallSiteId, device: i32, draft: Draft) {
        self.drafts.push(draft);
        self.moments.push((ns, site.0, device));
    }
}
