//! Blocks that end at an unmapped page, and the work that was queued since it was last known to be done: what may have met such a page
//! when the device reports an error.
//!
//! Kept by both hosts from the same facts. Bounded: of fences those that the shim holds or lets rest, of work the last calls.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::device_fault::{CALLBACK, Evidence, Fault};
use crate::evidence::finding::Finding;
use crate::rules::page_fault;
use aclsan_log::{BlockId, SiteId, Values};
use std::collections::{BTreeMap, VecDeque};

mod error_calls;
mod reported_faults;

pub use error_calls::surfaces_in;
use error_calls::{Waits, is_query, waits};

/// Calls that are remembered.
const WORKS_MOST: usize = 256;
/// Blocks that one call is remembered to have named.
const NAMED_MOST: usize = 8;
/// Fences that are remembered; the shim keeps fewer.
const FENCES_MOST: usize = 8192;
/// Calls that a finding shows.
const SHOWN_MOST: usize = 4;

/// A block with an unmapped page behind it.
#[derive(Clone, Copy, Debug)]
struct Fence {
    block: Block,
    /// Bytes from its start to that page.
    reach: u64,
    /// Where it was released, and how much work was queued by then.
    released: Option<(SiteId, u64)>,
    /// The call that has found the bytes between its end and the page overwritten.
    damaged: Option<SiteId>,
}

/// Work that one call queued, perhaps many times over.
#[derive(Debug)]
struct Work {
    stream: u64,
    site: SiteId,
    named: Vec<BlockId>,
    /// Its numbers, of its first time and its last.
    first: u64,
    number: u64,
}

/// What the hosts keep.
#[derive(Default)]
pub struct Fences {
    fences: BTreeMap<u64, Fence>,
    works: VecDeque<Work>,
    queued: u64,
    /// Addresses that tensors were given since an operator last ran.
    tensors: VecDeque<u64>,
    told: reported_faults::ToldFaults,
}

impl Fences {
    /// Whether there is none: then nobody need tell of calls.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.fences.is_empty()
    }

    /// The page `reach` bytes behind the start of `block` is not mapped.
    pub fn fenced(&mut self, block: &Block, reach: u64) {
        // Its addresses are its own now.
        let end = block.address.saturating_add(reach);
        let stale: Vec<u64> = self
            .fences
            .range(..end)
            .rev()
            .take_while(|(start, fence)| start.saturating_add(fence.reach) > block.address)
            .map(|(&start, _)| start)
            .collect();
        for start in stale {
            self.fences.remove(&start);
        }
        if self.fences.len() == FENCES_MOST {
            return;
        }
        let fence = Fence {
            block: *block,
            reach,
            released: None,
            damaged: None,
        };
        self.fences.insert(block.address, fence);
    }

    /// The block that starts at `address` is released, its pages are going.
    pub fn released(&mut self, address: u64, site: SiteId) {
        let queued = self.queued;
        if let Some(fence) = self.fences.get_mut(&address) {
            fence.released = Some((site, queued));
        }
    }

    /// The release was refused.
    pub fn kept(&mut self, address: u64) {
        if let Some(fence) = self.fences.get_mut(&address) {
            fence.released = None;
        }
    }

    /// The range of the block that starts at `address` is given back: anything may be mapped there.
    pub fn forgotten(&mut self, address: u64) {
        self.fences.remove(&address);
    }

    /// The device's last reset.
    pub fn reset(&mut self, device: i32) {
        self.fences.retain(|_, fence| fence.block.device != device);
        self.works.clear();
        self.told.reset(device);
    }

    /// `site` has found the bytes between the end of the block that starts at `address` and the page overwritten.
    pub fn damaged(&mut self, address: u64, site: SiteId) {
        if let Some(fence) = self.fences.get_mut(&address) {
            fence.damaged = Some(site);
        }
    }

    /// A call queues work on `stream` that is handed these addresses.
    #[inline]
    pub fn queued(&mut self, call: &Call, stream: u64, addresses: &[u64]) {
        if !self.is_empty() && call.function.is_async {
            self.work(call, stream, addresses);
        }
    }

    #[inline(never)]
    fn work(&mut self, call: &Call, stream: u64, addresses: &[u64]) {
        let named: Vec<BlockId> = addresses.iter().filter_map(|&at| self.at(at)).collect();
        self.queued += 1;
        let number = self.queued;
        let known = self
            .works
            .iter_mut()
            .rev()
            .find(|work| work.site == call.site && work.stream == stream);
        if let Some(work) = known {
            work.number = number;
            for id in named {
                if !work.named.contains(&id) && work.named.len() < NAMED_MOST {
                    work.named.push(id);
                }
            }
            return;
        }
        if self.works.len() == WORKS_MOST {
            self.works.pop_front();
        }
        self.works.push_back(Work {
            stream,
            site: call.site,
            named,
            first: number,
            number,
        });
    }

    /// A copy or fill that was to be queued on `stream` was refused, perhaps with the error of work before it: the runtime waits for that
    /// where the host's memory is pageable.
    pub fn refused(&mut self, call: &Call, stream: u64, status: i32) -> Option<Finding> {
        if self.is_empty() || !call.function.is_async || !page_fault::is_trap(status) {
            return None;
        }
        let is_own = |work: &Work| {
            work.site == call.site && work.first == self.queued && work.number == self.queued
        };
        if self.works.back().is_some_and(is_own) {
            self.works.pop_back();
        }
        self.surfaced(call, Some(stream), status)
    }

    /// The block that `address` lies in, or behind whose end it lies before the page.
    fn at(&self, address: u64) -> Option<BlockId> {
        let (&start, fence) = self.fences.range(..=address).next_back()?;
        (address - start <= fence.reach).then_some(fence.block.id)
    }

    /// A call was made, with these values: work may have been queued, waited for, or found to have failed.
    pub fn called(&mut self, call: &Call, values: &Values, status: i32) -> Option<Finding> {
        if self.is_empty() {
            return None;
        }
        if call.function.name == CALLBACK {
            return self.told(call, values);
        }
        let names = call.function.values;
        let value = |name: &str| {
            let index = names.iter().position(|&of| of == name)?;
            Some(values.get(index))
        };
        if names.first() == Some(&"tensor") && status == 0 {
            self.tensor(value("address").unwrap_or(0));
            return None;
        }
        if let (true, Some(stream)) = (call.function.is_async && status == 0, value("stream")) {
            let tensors = std::mem::take(&mut self.tensors);
            let mut addresses: Vec<u64> = values.all().to_vec();
            if call.function.is_phase_two() {
                addresses.extend(tensors);
            }
            self.queued(call, stream, &addresses);
            return None;
        }
        let waits = waits(call.function.name)?;
        let stream = match waits {
            Waits::Stream => Some(values.get(0)),
            Waits::Device | Waits::Event => None,
        };
        if status == 0 {
            match waits {
                Waits::Stream if !is_query(call.function.name) => {
                    self.works.retain(|work| Some(work.stream) != stream);
                }
                Waits::Device => self.works.clear(),
                _ => {}
            }
            return None;
        }
        page_fault::is_possible(status)
            .then(|| self.surfaced(call, stream, status))
            .flatten()
    }

    /// An error of the device came out of a call, by work on `stream` or by whatever work.
    fn surfaced(&mut self, call: &Call, stream: Option<u64>, status: i32) -> Option<Finding> {
        let fault = self.fault(call, stream, 0);
        let is_meant = |work: &Work| stream.is_none_or(|stream| work.stream == stream);
        let mut works = self.works.iter();
        let has_more = works.any(|work| is_meant(work) && work.number > self.told.to());
        let is_wait = !is_query(call.function.name);
        let is_told = self.told.returned(call.device, is_wait, has_more);
        self.works.retain(|work| !is_meant(work));
        // Patterns are looked at where a call returns the error: what they say is news.
        let is_news = matches!(fault.suspect, Some((_, _, Evidence::Overrun)));
        if is_told && !is_news {
            return None;
        }
        page_fault::check(call, status, &fault)
    }

    /// The program's function is told of an error of the device. Its stream is a number there that no call tells for a handle; what nothing
    /// ties to a block is left to the call that returns it.
    fn told(&mut self, call: &Call, values: &Values) -> Option<Finding> {
        let task = (values.get(0), values.get(1));
        let status = values.get(3) as u32 as i32;
        if !page_fault::is_possible(status) || self.told.has(call.device, task) {
            return None;
        }
        let fault = self.fault(call, None, self.told.to());
        fault.suspect?;
        let found = page_fault::check(call, status, &fault)?;
        self.told.add(call.device, task, self.queued);
        Some(found)
    }

    fn tensor(&mut self, address: u64) {
        if self.at(address).is_some() {
            if self.tensors.len() == NAMED_MOST {
                self.tensors.pop_front();
            }
            self.tensors.push_back(address);
        }
    }

    /// What may have to do with an error, of work on `stream` or whatever work, queued after the one of that number.
    fn fault(&self, call: &Call, stream: Option<u64>, after: u64) -> Fault {
        let is_meant =
            |work: &&Work| work.number > after && stream.is_none_or(|stream| work.stream == stream);
        let works: Vec<&Work> = self.works.iter().rev().filter(is_meant).collect();
        let first = works.last().map_or(u64::MAX, |work| work.number);
        let names = |id: BlockId| works.iter().any(|work| work.named.contains(&id));
        let of_device = |fence: &&Fence| call.device < 0 || fence.block.device == call.device;
        let mut suspects: Vec<(Block, u64, Evidence)> = Vec::new();
        for fence in self.fences.values().filter(of_device) {
            let is_named = names(fence.block.id);
            let evidence = match fence.released {
                None if fence.damaged == Some(call.site) => Evidence::Overrun,
                Some((site, _)) if is_named => Evidence::UsedAfterRelease(site),
                None if is_named => Evidence::Named,
                Some((site, queued)) if queued >= first => Evidence::ReleasedMeanwhile(site),
                _ => continue,
            };
            suspects.push((fence.block, fence.reach, evidence));
        }
        let rank = |evidence: &Evidence| match evidence {
            Evidence::Overrun => 0,
            Evidence::UsedAfterRelease(_) => 1,
            Evidence::Named => 2,
            Evidence::ReleasedMeanwhile(_) => 3,
        };
        let last_named = |id: BlockId| works.iter().position(|work| work.named.contains(&id));
        suspects.sort_by_key(|(block, _, evidence)| {
            let place = last_named(block.id).unwrap_or(usize::MAX);
            (rank(evidence), place, std::cmp::Reverse(block.id))
        });
        let suspect = suspects.first().copied();
        let best = suspect.map(|(_, _, evidence)| rank(&evidence));
        let alike = suspects
            .iter()
            .filter(|(_, _, evidence)| Some(rank(evidence)) == best);
        let of_suspect = |work: &&&Work| {
            let id = suspect.map(|(block, ..)| block.id);
            id.is_some_and(|id| work.named.contains(&id))
        };
        let (mine, rest): (Vec<&Work>, Vec<&Work>) =
            works.iter().partition(|work| of_suspect(work));
        let queued: Vec<SiteId> = mine.iter().chain(&rest).map(|work| work.site).collect();
        Fault {
            suspect,
            others: alike.count().saturating_sub(1),
            more: queued.len().saturating_sub(SHOWN_MOST),
            queued: queued.into_iter().take(SHOWN_MOST).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
