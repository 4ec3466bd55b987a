//! Chooses the allocator of a recording, and makes steps of drafts now that everything is known.

use std::cmp::Reverse;
use std::collections::HashMap;

use aclsan_allocators::caching::TORCH_NPU;
use aclsan_allocators::request::{Asked, Step};

use aclsan_log::record::ALLOCATOR_SETTINGS;

use super::super::recording::{Asker, Recording};
use super::calls::Source;
use super::{Draft, Held, Reader};

/// Blocks up to here are cut to the size asked for.
const SMALL: u64 = TORCH_NPU.small;
/// Time, site and device.
type Moment = (u64, u32, i32);

const EXPANDABLE: &str = "expandable_segments:True";

impl Reader<'_> {
    /// The recording of the allocator that gave out most.
    pub(super) fn finish(mut self, device: Option<i32>) -> Option<Recording> {
        let is_meant = |of: i32| device.is_none_or(|device| device == of);
        let sources = self.sources.iter().enumerate();
        let sources = sources.filter(|(_, source)| source.peak > 0 && is_meant(source.device));
        let chosen = sources
            .max_by_key(|(index, source)| (source.peak, Reverse(*index)))
            .map(|(index, _)| index);
        let device = match chosen {
            Some(source) => self.sources[source].device,
            None => self.fullest(is_meant)?,
        };
        let mut recording = Recording {
            device,
            capacity: self.capacity.get(&device).copied(),
            unexplained: self.unexplained.get(&device).copied().unwrap_or(0),
            epochs: std::mem::take(&mut self.epochs),
            settings: (self.log.properties.get(ALLOCATOR_SETTINGS).cloned()).unwrap_or_default(),
            ..Recording::default()
        };
        let moments = std::mem::take(&mut self.moments);
        let drafts = moments.into_iter().zip(std::mem::take(&mut self.drafts));
        match chosen {
            Some(source) => self.of_source(source, drafts, &mut recording),
            None => self.of_program(drafts, &mut recording),
        }
        Some(recording)
    }

    /// The device of which most was taken in all.
    fn fullest(&self, is_meant: impl Fn(i32) -> bool) -> Option<i32> {
        let mut sums: HashMap<i32, u64> = HashMap::new();
        for held in self.held.iter().filter(|held| is_meant(held.device)) {
            let sum = sums.entry(held.device).or_default();
            *sum = sum.saturating_add(held.pages);
        }
        let most = sums.into_iter().max_by_key(|&(device, sum)| (sum, -device));
        most.map(|(device, _)| device)
    }

    fn of_source(
        &mut self,
        chosen: usize,
        drafts: impl Iterator<Item = (Moment, Draft)>,
        recording: &mut Recording,
    ) {
        let Source {
            asker,
            reserved_peak,
            ..
        } = std::mem::take(&mut self.sources[chosen]);
        let is_caching = matches!(asker, Asker::Caching(_));
        // A block's size has what the cache adds to every request.
        let padding = match &asker {
            Asker::Caching(rules) => rules.padding,
            _ => 0,
        };
        // A caching allocator reports its total as a heap; heaps of other pools are single ranges.
        recording.reserved_peak = reserved_peak.filter(|_| is_caching);
        recording.of = asker;
        let mut is_expandable = false;
        for ((ns, site, device), draft) in drafts {
            let step = match draft {
                Draft::Allocate {
                    source,
                    part,
                    bytes,
                    asked,
                    segment,
                    stream,
                } if source as usize == chosen => {
                    // A cache hands out a whole block where the rest of a large one is not worth cutting off.
                    let is_whole = is_caching && asked.is_none() && bytes > SMALL;
                    recording.inexact += u64::from(is_whole);
                    let segment = segment.map(|id| self.segments.get(id));
                    let inferred = segment.map_or(0, |segment| segment.stream());
                    let asked = Asked {
                        bytes: asked.unwrap_or(bytes.saturating_sub(padding)),
                        stream: stream.unwrap_or(inferred),
                        pool: segment.map_or(0, |segment| segment.graph()),
                    };
                    Step::Allocate(part, asked)
                }
                Draft::Release { source, part } if source as usize == chosen => Step::Release(part),
                Draft::Taken(_) | Draft::Returned { .. } if device != recording.device => continue,
                Draft::Taken(held) => {
                    let held = &self.held[held as usize];
                    if !self.is_of(held, chosen) {
                        Step::TakenByOthers(held.pages)
                    } else {
                        match held.is_physical {
                            true => is_expandable = true,
                            false => recording.segments.push((held.size, held.address)),
                        }
                        continue;
                    }
                }
                Draft::Returned {
                    held,
                    is_empty_cache,
                } => {
                    let held = &self.held[held as usize];
                    let was_emptied =
                        (recording.steps.last()).is_some_and(|last| last.step == Step::EmptyCache);
                    match self.is_of(held, chosen) {
                        false => Step::ReturnedByOthers(held.pages),
                        true if is_empty_cache && is_caching && !was_emptied => Step::EmptyCache,
                        true => continue,
                    }
                }
                Draft::GraphGone(graph) => Step::ClosePool(graph),
                Draft::Allocate { .. } | Draft::Release { .. } => continue,
            };
            recording.add(ns, site, step);
        }
        if is_expandable && is_caching && recording.settings.is_empty() {
            recording.settings = EXPANDABLE.to_owned();
        }
    }

    /// Whether the pool cut parts of it.
    fn is_of(&self, held: &Held, chosen: usize) -> bool {
        let segment = held.segment.map(|id| self.segments.get(id));
        segment.is_some_and(|segment| segment.source == Some(chosen))
    }

    /// Every block of the device is a request.
    fn of_program(&self, drafts: impl Iterator<Item = (Moment, Draft)>, recording: &mut Recording) {
        for ((ns, site, device), draft) in drafts {
            match draft {
                _ if device != recording.device => {}
                Draft::Taken(held) => {
                    let asked = Asked {
                        bytes: self.held[held as usize].size,
                        stream: 0,
                        pool: 0,
                    };
                    recording.add(ns, site, Step::Allocate(held, asked));
                }
                Draft::Returned { held, .. } => {
                    recording.add(ns, site, Step::Release(held));
                }
                _ => {}
            }
        }
    }
}
