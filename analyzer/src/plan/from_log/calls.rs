//! Calls that a plan is made from: what pools report, what is captured, what is mapped.

use std::collections::HashMap;

use aclsan_allocators::caching::TORCH_NPU;
use aclsan_allocators::request::Part;
use aclsan_log::CallSiteId;
use aclsan_rules::api::family::Family;

use super::{Draft, Reader};
use crate::plan::recording::{Asker, Parts};

/// Domains of mstx whose pool is a caching allocator's.
const CACHING: [&str; 1] = ["ptaCaching"];

/// What a source is known by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A domain of mstx, by its name's number, on a device.
    Domain(u64, i32),
    /// A pool of `aclsan.h`.
    Pool(u64),
}

/// Who gave out parts.
#[derive(Default)]
pub(super) struct Source {
    pub asker: Asker,
    pub device: i32,
    parts: Parts,
    /// Parts by address, with their bytes.
    live: HashMap<u64, (Part, u64)>,
    /// Bytes now, and most.
    bytes: u64,
    pub peak: u64,
    /// The largest heap that it registered.
    pub reserved_peak: Option<u64>,
}

impl Reader<'_> {
    pub(super) fn called(&mut self, (ns, tid): (u64, u32), site: CallSiteId, values: &[u64]) {
        let Some(call) = self.sites.call(site, |_| true) else {
            return;
        };
        let at = |index: usize| values.get(index).copied().unwrap_or(0);
        match call.function.name {
            "mstxMemHeapRegister" => {
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
                let is_of = |key: &Key| matches!(key, Key::Domain(of, _) if *of == domain);
                let of_domain = self.by_key.iter().filter(|(key, _)| is_of(key));
                let sources: Vec<usize> = of_domain.map(|(_, &source)| source).collect();
                for source in sources {
                    self.taken_back(ns, site, source, address);
                }
            }
            "aclsan_epoch" => self.epochs.push((ns, self.text(at(0)))),
            "mstxMarkA" | "mstxDomainMarkA" | "mstxRangeStartA" | "mstxDomainRangeStartA" => {
                self.epochs.push((ns, self.text(at(1))));
            }
            "aclsan_pool_create" => {
                let name = self.text(at(1));
                self.source(Key::Pool(at(0)), Asker::Pool(name));
            }
            "aclsan_pool_alloc" => {
                let segment = self.segments.at(at(1));
                let device = segment.map_or(call.device, |id| self.segments.get(id).device);
                let source = self.source(Key::Pool(at(0)), Asker::Pool(String::new()));
                self.given(ns, site, (source, device), (at(1), at(2)), Some(at(3)));
            }
            "aclsan_pool_free" => {
                let source = self.source(Key::Pool(at(0)), Asker::Pool(String::new()));
                self.taken_back(ns, site, source, at(1));
            }
            "aclmdlRICaptureBegin" | "aclmdlRICaptureToModelRIBegin" => {
                self.graph_count += 1;
                let stream = self.stream(at(0));
                self.captures.insert(stream, self.graph_count);
            }
            "aclmdlRICaptureEnd" => {
                let stream = self.stream(at(0));
                if let Some(graph) = self.captures.remove(&stream) {
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
        self.source(Key::Domain(domain, device), asker)
    }

    fn source(&mut self, key: Key, asker: Asker) -> usize {
        *self.by_key.entry(key).or_insert_with(|| {
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
}
