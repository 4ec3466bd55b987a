//! Blocks that end at an unmapped page, and the queued work that is not known to have completed: what may have hit such
//! a page when the device reports an error.
//!
//! Both hosts keep this from the same facts. Bounded: it tracks the guarded blocks that the shim keeps or has retired,
//! and the latest calls.

use crate::api::block::Block;
use crate::api::functions::{Call, Effect};
use crate::evidence::device_fault::{Evidence, Fault};
use crate::evidence::finding::Finding;
use crate::rules::page_fault;
use aclsan_log::{BlockId, CallSiteId, Values};
use std::collections::{BTreeMap, VecDeque};

mod error_calls;
mod reported_faults;

pub use error_calls::may_report_fault;
use error_calls::{ErrorSource, error_source, is_query};

/// Calls that are remembered.
const MAX_WORK: usize = 256;
/// Blocks remembered for one call.
const MAX_NAMED: usize = 8;
/// Guarded blocks that are remembered; the shim keeps fewer.
const MAX_GUARDED: usize = 8192;
/// Calls shown in a finding.
const MAX_SHOWN: usize = 4;

/// A block with an unmapped page after it.
#[derive(Clone, Copy, Debug)]
struct GuardedBlock {
    block: Block,
    /// Bytes from its start to that page.
    reach: u64,
    /// Where it was released, and how much work was queued by then.
    released: Option<(CallSiteId, u64)>,
    /// The call that found the bytes between its end and the page overwritten.
    damaged: Option<CallSiteId>,
}

/// Work queued by one call, possibly many times.
#[derive(Debug)]
struct Work {
    stream: u64,
    site: CallSiteId,
    named: Vec<BlockId>,
    /// The sequence numbers of its first and its last time.
    first: u64,
    number: u64,
}

/// The state that hosts keep.
#[derive(Default)]
pub struct GuardPageFaults {
    guarded: BTreeMap<u64, GuardedBlock>,
    works: VecDeque<Work>,
    queued: u64,
    /// Addresses that tensors were given since an operator last ran.
    tensors: VecDeque<u64>,
    reported: reported_faults::ReportedFaults,
    explains: bool,
}

impl GuardPageFaults {
    /// Whether there are none. Then calls need not be reported.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.guarded.is_empty()
    }

    /// The page `reach` bytes after the start of `block` is not mapped.
    pub fn add(&mut self, block: &Block, reach: u64) {
        // The addresses are the block's own now.
        let end = block.address.saturating_add(reach);
        let stale: Vec<u64> = self
            .guarded
            .range(..end)
            .rev()
            .take_while(|(start, block_at_page)| {
                start.saturating_add(block_at_page.reach) > block.address
            })
            .map(|(&start, _)| start)
            .collect();
        for start in stale {
            self.guarded.remove(&start);
        }
        if self.guarded.len() == MAX_GUARDED {
            return;
        }
        let block_at_page = GuardedBlock {
            block: *block,
            reach,
            released: None,
            damaged: None,
        };
        self.guarded.insert(block.address, block_at_page);
    }

    /// The block that starts at `address` is released, and its pages will be unmapped.
    pub fn released(&mut self, address: u64, site: CallSiteId) {
        let queued = self.queued;
        if let Some(block_at_page) = self.guarded.get_mut(&address) {
            block_at_page.released = Some((site, queued));
        }
    }

    /// The release failed.
    pub fn on_release_failed(&mut self, address: u64) {
        if let Some(block_at_page) = self.guarded.get_mut(&address) {
            block_at_page.released = None;
        }
    }

    /// The range of the block that starts at `address` is freed: anything may be mapped there.
    pub fn remove(&mut self, address: u64) {
        self.guarded.remove(&address);
    }

    /// The device's last reset.
    pub fn reset(&mut self, device: i32) {
        self.guarded
            .retain(|_, block_at_page| block_at_page.block.device != device);
        self.works.clear();
        self.reported.reset(device);
    }

    /// `site` found the bytes between the page and the end of the block that starts at `address` overwritten.
    pub fn damaged(&mut self, address: u64, site: CallSiteId) {
        if let Some(block_at_page) = self.guarded.get_mut(&address) {
            block_at_page.damaged = Some(site);
        }
    }

    /// A call queues work on `stream` and passes these addresses.
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
                if !work.named.contains(&id) && work.named.len() < MAX_NAMED {
                    work.named.push(id);
                }
            }
            return;
        }
        if self.works.len() == MAX_WORK {
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

    /// A copy or fill that was to be queued on `stream` was refused, possibly with the error of earlier work: the
    /// runtime waits for that if the host memory is pageable.
    pub fn refused(&mut self, call: &Call, stream: u64, status: i32) -> Option<Finding> {
        self.explains = false;
        if self.is_empty()
            || !call.function.is_async
            || !call.function.vendor().faults.is_trap(status)
        {
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

    /// The block that contains `address`, or whose end is between `address` and the page.
    fn at(&self, address: u64) -> Option<BlockId> {
        let (&start, block_at_page) = self.guarded.range(..=address).next_back()?;
        (address - start <= block_at_page.reach).then_some(block_at_page.block.id)
    }

    /// Whether the error that the last call returned is reported, now or when the program's callback received it.
    pub fn explains_last_error(&self) -> bool {
        self.explains
    }

    /// A call returned with these values: work may have been queued, waited for, or found to have failed.
    pub fn called(&mut self, call: &Call, values: &Values, status: i32) -> Option<Finding> {
        self.explains = false;
        if self.is_empty() {
            return None;
        }
        if call.function.effect() == Effect::ReportError {
            return self.reported(call, values);
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
        let error_source = error_source(call.function)?;
        let stream = match error_source {
            ErrorSource::Stream => Some(values.get(0)),
            ErrorSource::Device | ErrorSource::Event => None,
        };
        if status == 0 {
            match error_source {
                ErrorSource::Stream if !is_query(call.function) => {
                    self.works.retain(|work| Some(work.stream) != stream);
                }
                ErrorSource::Device => self.works.clear(),
                _ => {}
            }
            return None;
        }
        let faults = call.function.vendor().faults;
        faults
            .is_possible(status)
            .then(|| self.surfaced(call, stream, status))
            .flatten()
    }

    /// A call returned a device error, of work on `stream` or of any work.
    fn surfaced(&mut self, call: &Call, stream: Option<u64>, status: i32) -> Option<Finding> {
        let fault = self.fault(call, stream, 0);
        let is_meant = |work: &Work| stream.is_none_or(|stream| work.stream == stream);
        let mut works = self.works.iter();
        let has_more = works.any(|work| is_meant(work) && work.number > self.reported.to());
        let is_wait = !is_query(call.function);
        let is_reported = self.reported.returned(call.device, is_wait, has_more);
        self.works.retain(|work| !is_meant(work));
        // Patterns are checked when a call returns the error, so what they show is new.
        let is_news = matches!(fault.suspect, Some((_, _, Evidence::Overrun)));
        if is_reported && !is_news {
            self.explains = true;
            return None;
        }
        let found = page_fault::check(call, status, &fault);
        self.explains = found.is_some();
        found
    }

    /// The program's callback receives a device error. The stream is a number there that no call connects with a
    /// handle. What nothing ties to a block is left to the call that returns the error.
    fn reported(&mut self, call: &Call, values: &Values) -> Option<Finding> {
        let task = (values.get(0), values.get(1));
        let status = values.get(3) as u32 as i32;
        if !call.function.vendor().faults.is_possible(status)
            || self.reported.has(call.device, task)
        {
            return None;
        }
        let fault = self.fault(call, None, self.reported.to());
        fault.suspect?;
        let found = page_fault::check(call, status, &fault)?;
        self.reported.add(call.device, task, self.queued);
        Some(found)
    }

    fn tensor(&mut self, address: u64) {
        if self.at(address).is_some() {
            if self.tensors.len() == MAX_NAMED {
                self.tensors.pop_front();
            }
            self.tensors.push_back(address);
        }
    }

    /// What may be related to an error, of work on `stream` or of any work, queued after the work with that number.
    fn fault(&self, call: &Call, stream: Option<u64>, after: u64) -> Fault {
        let is_meant =
            |work: &&Work| work.number > after && stream.is_none_or(|stream| work.stream == stream);
        let works: Vec<&Work> = self.works.iter().rev().filter(is_meant).collect();
        let first = works.last().map_or(u64::MAX, |work| work.number);
        let names = |id: BlockId| works.iter().any(|work| work.named.contains(&id));
        let of_device = |block_at_page: &&GuardedBlock| {
            call.device < 0 || block_at_page.block.device == call.device
        };
        let mut recent_writers: Vec<(Block, u64, Evidence)> = Vec::new();
        for block_at_page in self.guarded.values().filter(of_device) {
            let is_named = names(block_at_page.block.id);
            let evidence = match block_at_page.released {
                None if block_at_page.damaged == Some(call.site) => Evidence::Overrun,
                Some((site, _)) if is_named => Evidence::UsedAfterRelease(site),
                None if is_named => Evidence::Named,
                Some((site, queued)) if queued >= first => Evidence::ReleasedMeanwhile(site),
                _ => continue,
            };
            recent_writers.push((block_at_page.block, block_at_page.reach, evidence));
        }
        let rank = |evidence: &Evidence| match evidence {
            Evidence::Overrun => 0,
            Evidence::UsedAfterRelease(_) => 1,
            Evidence::Named => 2,
            Evidence::ReleasedMeanwhile(_) => 3,
        };
        let last_named = |id: BlockId| works.iter().position(|work| work.named.contains(&id));
        recent_writers.sort_by_key(|(block, _, evidence)| {
            let place = last_named(block.id).unwrap_or(usize::MAX);
            (rank(evidence), place, std::cmp::Reverse(block.id))
        });
        let suspect = recent_writers.first().copied();
        let best = suspect.map(|(_, _, evidence)| rank(&evidence));
        let alike = recent_writers
            .iter()
            .filter(|(_, _, evidence)| Some(rank(evidence)) == best);
        let of_recent_writer = |work: &&&Work| {
            let id = suspect.map(|(block, ..)| block.id);
            id.is_some_and(|id| work.named.contains(&id))
        };
        let (mine, rest): (Vec<&Work>, Vec<&Work>) =
            works.iter().partition(|work| of_recent_writer(work));
        let queued: Vec<CallSiteId> = mine.iter().chain(&rest).map(|work| work.site).collect();
        Fault {
            suspect,
            others: alike.count().saturating_sub(1),
            more: queued.len().saturating_sub(MAX_SHOWN),
            queued: queued.into_iter().take(MAX_SHOWN).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
