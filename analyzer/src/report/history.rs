//! The lifetime of every block in a log, for exports that draw blocks one by one.

use std::collections::{BTreeSet, HashMap};

use aclsan_log::{BlockId, CallSiteId, Event, Log, Values};
use aclsan_render::model::{
    BlockLifetimes, Change, ChangeKind, Collector, Extent, History, Refusal, Trace,
};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::functions::Role;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::trackers::heap::{Heap, LiveBlock};

use crate::replay::{Dropped, Ignored, Sites, heap_before, profile};
use crate::symbols::stacks::Stacks;

/// The memory history of `log`'s process, with symbolized stacks; `progress` is called now and then with the bytes read so far.
pub fn history(log: &Log, stacks: &mut Stacks, progress: impl FnMut(u64)) -> History {
    let recorder = record(log, Vec::new(), progress);
    let left = recorder.dropped.ids();
    let left = left.filter_map(|block| recorder.block_of.get(&block).copied());
    History {
        pid: log.header.pid,
        arguments: log.properties.get("arguments").cloned().unwrap_or_default(),
        started_realtime_ns: log.header.started.realtime_ns,
        duration_ns: recorder.duration_ns,
        traces: named(&recorder.traces, stacks),
        left: left.collect::<BTreeSet<usize>>(),
        changes: recorder.to,
    }
}

/// The lifetimes of its blocks, at most `most`.
pub fn lives(
    log: &Log,
    stacks: &mut Stacks,
    most: usize,
    progress: impl FnMut(u64),
) -> BlockLifetimes {
    let collector = Collector::new(most);
    let recorder = record(log, collector, progress);
    let traces = named(&recorder.traces, stacks);
    recorder
        .to
        .finish(log.header.pid, recorder.duration_ns, traces)
}

fn record<T: Listener>(log: &Log, to: T, mut progress: impl FnMut(u64)) -> Recorder<T> {
    let mut recorder = Recorder::new(log, to);
    let mut events = log.events();
    let mut count = 0_u64;
    while let Some(timed) = events.next() {
        recorder.duration_ns = recorder.duration_ns.max(timed.ns);
        recorder.play(timed.ns, timed.tid, &timed.event);
        count += 1;
        if count.is_multiple_of(1 << 16) {
            progress(events.bytes_read());
        }
    }
    progress(log.event_bytes());
    recorder
}

fn named(traces: &[CallSiteId], stacks: &mut Stacks) -> Vec<Trace> {
    let traces = traces.iter();
    traces
        .map(|&site| stacks.trace("allocated", site))
        .collect()
}

/// Receives every change.
trait Listener {
    /// A block was allocated or freed.
    fn change(&mut self, change: Change);
    /// The block's release was refused after all.
    fn take_back(&mut self, block: usize);
    /// An allocation was refused.
    fn refused(&mut self, _: Refusal) {}
}

impl Listener for Vec<Change> {
    fn change(&mut self, change: Change) {
        self.push(change);
    }

    fn take_back(&mut self, block: usize) {
        let is_end = |change: &Change| change.block == block && change.what == ChangeKind::Ended;
        if let Some(at) = self.iter().rposition(is_end) {
            self.remove(at);
        }
    }
}

impl Listener for Collector {
    fn change(&mut self, change: Change) {
        Collector::change(self, &change);
    }

    fn take_back(&mut self, block: usize) {
        Collector::take_back(self, block);
    }

    fn refused(&mut self, refusal: Refusal) {
        Collector::refused(self, refusal);
    }
}

struct Recorder<T> {
    to: T,
    sites: Sites,
    profile: Profile,
    heap: Heap,
    traces: Vec<CallSiteId>,
    trace_of: HashMap<CallSiteId, usize>,
    block_of: HashMap<BlockId, usize>,
    /// The last release of each thread.
    released: HashMap<u32, BlockId>,
    /// Blocks freed by resets, which a report counts as leaked.
    dropped: Dropped,
    ignored: Ignored,
    duration_ns: u64,
}

impl<T: Listener> Recorder<T> {
    fn new(log: &Log, to: T) -> Self {
        Self {
            to,
            sites: Sites::new(log).0,
            profile: profile(log),
            heap: heap_before(log),
            traces: Vec::new(),
            trace_of: HashMap::new(),
            block_of: HashMap::new(),
            released: HashMap::new(),
            dropped: Dropped::default(),
            ignored: Ignored::default(),
            duration_ns: 0,
        }
    }

    fn play(&mut self, ns: u64, thread: u32, event: &Event) {
        match *event {
            Event::Allocation {
                block,
                site,
                address,
                size,
            } => {
                let call = self
                    .sites
                    .call(site, |role| matches!(role, Role::Allocate(_)));
                let Some(call) = call else { return };
                let block = Block {
                    id: block,
                    address,
                    size,
                    function: call.function,
                    site,
                    device: call.device,
                };
                for stale in self.heap.allocate(block, ns, thread) {
                    self.change(ns, thread, ChangeKind::Ended, &stale.block);
                }
                self.ignored.allocated(&block, thread);
                self.change(ns, thread, ChangeKind::Allocated, &block);
            }
            Event::Release { block, site } => {
                self.dropped.released(block);
                if let Some(held) = self.heap.release(block, site) {
                    self.change(ns, thread, ChangeKind::Ended, &held.block);
                    self.released.insert(thread, block);
                }
            }
            Event::Refused { .. } => {
                // For a copy, or a release of an unknown block, nothing is restored.
                if let Some(block) = self.released.remove(&thread)
                    && self.heap.restore(block).is_some()
                    && let Some(&number) = self.block_of.get(&block)
                {
                    self.to.take_back(number);
                }
            }
            Event::AllocationFailed { site, size, status } => {
                let call = self
                    .sites
                    .call(site, |role| matches!(role, Role::Allocate(_)));
                let Some(call) = call else { return };
                let trace = self.trace(site);
                self.to.refused(Refusal {
                    ns,
                    size,
                    status,
                    device: call.device,
                    trace,
                });
            }
            Event::ReleaseAt { site, address, .. } => {
                self.released.remove(&thread);
                let family = self
                    .sites
                    .call(site, |_| true)
                    .and_then(|call| call.family());
                let key = family.unwrap_or(Family::Device).key(address);
                if let AddressInfo::Ended(block, 0, _) = self.heap.place(key) {
                    self.dropped.released(block.id);
                }
            }
            Event::Copy { .. } | Event::Copy2d { .. } | Event::Set { .. } => {
                self.released.remove(&thread);
            }
            Event::Call {
                site,
                ref values,
                status: 0,
            } => {
                self.released.remove(&thread);
                if let Some(call) = self.sites.call(site, |_| true) {
                    self.call(ns, thread, &call, values);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, ns: u64, thread: u32, call: &Call, values: &Values) {
        let dropped = self.heap.called(call.function, values, call.site, ns);
        let dropped = dropped.unwrap_or_default();
        for LiveBlock { block, .. } in &dropped {
            self.change(ns, thread, ChangeKind::Dropped, block);
        }
        let heeded = dropped.into_iter();
        let heeded = heeded.filter(|held| !self.ignored.has(held.block.id));
        self.dropped.add(heeded, call.site, ns);
        match call.function.name {
            "aclsan_ignore_begin" | "aclsan_ignore_end" => {
                self.ignored.depth(thread, values.get(0));
            }
            _ if call.function.role == Role::SetDevice => {
                self.dropped.set_again(values.get(0) as u32 as i32);
            }
            _ => {}
        }
    }

    fn change(&mut self, ns: u64, thread: u32, what: ChangeKind, block: &Block) {
        if !block.family().is_memory() {
            return;
        }
        let trace = self.trace(block.site);
        let policy = self.sites.call(block.site, |_| true);
        let policy = policy.map_or(0, |call| call.argument);
        let extent = Extent::of(block, policy, 0, &self.profile);
        let next = self.block_of.len();
        let number = *self.block_of.entry(block.id).or_insert(next);
        self.to.change(Change {
            ns,
            thread,
            what,
            block: number,
            address: block.address,
            size: block.size,
            family: block.family().name(),
            is_host: block.family().is_host(),
            is_of_device: block.family().is_of_device(),
            device: block.device,
            page: extent.map_or("", |extent| extent.page.name()),
            trace,
            is_ignored: self.ignored.has(block.id),
        });
    }

    fn trace(&mut self, site: CallSiteId) -> usize {
        let site = self.sites.canonical(site);
        let next = self.traces.len();
        let trace = *self.trace_of.entry(site).or_insert(next);
        if trace == next {
            self.traces.push(site);
        }
        trace
    }
}

#[cfg(test)]
mod tests;
