//! Every block's life from a log, for exports that draw blocks one by one.

use std::collections::HashMap;

use aclsan_log::{BlockId, Event, Log, SiteId};
use aclsan_render::model::{Change, History, What};
use aclsan_rules::Block;
use aclsan_rules::functions::Role;
use aclsan_rules::heap::{Heap, Held};

use crate::replay::Sites;
use crate::stacks::Stacks;

/// What `log`'s process did with memory, with its stacks named.
pub fn history(log: &Log, stacks: &mut Stacks) -> History {
    let mut story = Story::new(log);
    for timed in log.events() {
        story.duration_ns = story.duration_ns.max(timed.ns);
        story.play(timed.ns, timed.tid, &timed.event);
    }
    let traces = story.traces.iter();
    History {
        pid: log.header.pid,
        arguments: log.properties.get("arguments").cloned().unwrap_or_default(),
        started_realtime_ns: log.header.started.realtime_ns,
        duration_ns: story.duration_ns,
        traces: traces
            .map(|&site| stacks.trace("allocated", site))
            .collect(),
        changes: story.changes.into_iter().flatten().collect(),
    }
}

struct Story {
    sites: Sites,
    heap: Heap,
    /// `None` where a release was refused after all.
    changes: Vec<Option<Change>>,
    traces: Vec<SiteId>,
    trace_of: HashMap<SiteId, usize>,
    block_of: HashMap<BlockId, usize>,
    /// What each thread released last, and the change that says so.
    released: HashMap<u32, (BlockId, usize)>,
    duration_ns: u64,
}

impl Story {
    fn new(log: &Log) -> Self {
        Self {
            sites: Sites::new(log).0,
            heap: Heap::default(),
            changes: Vec::new(),
            traces: Vec::new(),
            trace_of: HashMap::new(),
            block_of: HashMap::new(),
            released: HashMap::new(),
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
                    self.change(ns, thread, What::Ended, &stale.block);
                }
                self.change(ns, thread, What::Allocated, &block);
            }
            Event::Release { block, site } => {
                if let Some(held) = self.heap.release(block, site) {
                    self.change(ns, thread, What::Ended, &held.block);
                    self.released
                        .insert(thread, (block, self.changes.len() - 1));
                }
            }
            Event::Refused { .. } => {
                // Of a copy: then this thread has released nothing since, or it was another's business.
                if let Some((block, at)) = self.released.remove(&thread)
                    && self.heap.restore(block).is_some()
                {
                    self.changes[at] = None;
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
                let call = self.sites.call(site, |_| true);
                let dropped = call.and_then(|call| self.heap.called(call.function, values, site));
                for Held { block, .. } in dropped.unwrap_or_default() {
                    self.change(ns, thread, What::Dropped, &block);
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, ns: u64, thread: u32, what: What, block: &Block) {
        if !block.family().is_memory() {
            return;
        }
        let site = self.sites.same(block.site);
        let next = self.traces.len();
        let trace = *self.trace_of.entry(site).or_insert(next);
        if trace == next {
            self.traces.push(site);
        }
        let next = self.block_of.len();
        let number = *self.block_of.entry(block.id).or_insert(next);
        self.changes.push(Some(Change {
            ns,
            thread,
            what,
            block: number,
            address: block.address,
            size: block.size,
            family: block.family().name(),
            is_host: block.family().is_host(),
            device: block.device,
            trace,
        }));
    }
}
