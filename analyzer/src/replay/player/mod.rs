//! Plays events one at a time: updates the heap and asks the rules.

mod access;
mod device_lifecycle;
mod fast_alloc;
mod fast_stream;
mod findings;
mod finish;
mod heap_view;
mod living;
mod release;
mod requests;
mod site_events;
mod unseen;
mod waste;

use std::collections::BTreeMap;
use std::sync::Arc;

use aclsan_log::batch::{Batch, BatchEntry, EventKind};
use aclsan_log::{BlockId, CallSiteId, Event, Log};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::functions::Role;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::consequences::Consequences;
use aclsan_rules::evidence::recent_writers::RecentWriters;
use aclsan_rules::judge;
use aclsan_rules::trackers::guard_page_faults::GuardPageFaults;
use aclsan_rules::trackers::heap::Heap;
use aclsan_rules::trackers::hiai_auto_free::AutoFree;
use aclsan_rules::trackers::objects::ObjectTracker;
use aclsan_rules::trackers::stream_order::RaceDetector;
use aclsan_rules::trackers::suballocation::{InferredSegments, Operands};

use super::accounting::Accounting;
use super::accounting::guard_overhead::GuardOverhead;
use super::accounting::spreads::Spreads;
use super::accounting::usage::Usage;
use super::annotations::Annotations;
use super::dedup::Deduplicator;
use super::heap_before;
use super::leaks::Dropped;
use super::leaks::reachability::ScanResults;
use super::sites::Sites;
use super::sites::calls::Calls;
use super::sites::growth::Growth;
use super::sites::hot_calls::HotCalls;
use super::sites::last_key_map::LastKeyMap;
use super::transfers::Transferred;
use fast_stream::set_of;
pub use finish::NO_END;
use release::LastAction;
use site_events::live_by_site;

/// Bytes of log per block and release, and most blocks to reserve for.
const BYTES_PER_BLOCK: u64 = 16;
const MAX_EXPECTED_BLOCKS: u64 = 1 << 17;

/// A replay in progress.
pub struct Player {
    profile: Profile,
    sites: Arc<Sites>,
    heap: Heap,
    objects: ObjectTracker,
    order: RaceDetector,
    written: InferredSegments,
    operands: Operands,
    transferred: Transferred,
    auto_free: AutoFree,
    annotations: Annotations,
    recent_writers: RecentWriters,
    guard_pages: GuardPageFaults,
    findings: Deduplicator,
    consequences: Consequences<usize>,
    accounting: Accounting,
    growth: Growth,
    /// Whether kernels with unknown arguments were launched.
    is_opaque: bool,
    has_times: bool,
    calls: Calls,
    /// Counters of hot call sites; all other calls are in `calls`.
    hot_calls: HotCalls,
    dropped: Dropped,
    holds: ScanResults,
    /// Whether the object tracker observes blocks of memory.
    objects_follow: bool,
    /// The last action of each thread.
    last: LastKeyMap<u32, LastAction>,
    unknown: BTreeMap<CallSiteId, (u64, u64)>,
    reported: BTreeMap<i32, (u64, u64)>,
    /// As of the latest call.
    reported_last: BTreeMap<i32, (u64, u64)>,
    is_complete: bool,
    /// Whether `aclFinalize` was called, which closes all devices.
    is_finalized: bool,
    /// Whether recording is stopped.
    is_stopped: bool,
    /// Until then, after an attach, released blocks are forgotten.
    settled_ns: u64,
    /// When the exit handlers ran.
    exit_ns: Option<u64>,
    lost_events: u64,
    lost_stacks: u64,
    unknown_functions: u64,
    unmatched_releases: u64,
    unseen_releases: u64,
    /// Time and thread of the current event.
    now: (u64, u32),
}

impl Player {
    /// A player before the first event.
    pub fn new(log: &Log, profile: Profile) -> Self {
        let (sites, names) = Sites::new(log);
        let (mut usage, sites) = (Usage::new(sites.len()), Arc::new(sites));
        usage.spreads = super::block_sample(log).map(|_| Spreads::default());
        let mut heap = heap_before(log);
        heap.expect((log.event_bytes() / BYTES_PER_BLOCK).min(MAX_EXPECTED_BLOCKS) as usize);
        Self {
            accounting: Accounting::new(usage, Arc::clone(&sites)),
            hot_calls: HotCalls::new(&sites, &profile),
            sites,
            profile,
            heap,
            objects: ObjectTracker::default(),
            order: RaceDetector::default(),
            written: InferredSegments::default(),
            operands: Operands::default(),
            transferred: Transferred::default(),
            auto_free: AutoFree::default(),
            annotations: Annotations::new(log),
            recent_writers: RecentWriters::default(),
            guard_pages: GuardPageFaults::default(),
            findings: Deduplicator::default(),
            consequences: Consequences::default(),
            growth: Growth::default(),
            is_opaque: false,
            has_times: log.properties.contains_key("slow_ns"),
            calls: Calls::new(names),
            dropped: Dropped::default(),
            holds: ScanResults::default(),
            last: LastKeyMap::default(),
            objects_follow: false,
            unknown: BTreeMap::new(),
            reported: BTreeMap::new(),
            reported_last: BTreeMap::new(),
            is_complete: false,
            is_finalized: false,
            is_stopped: false,
            settled_ns: super::settled_ns(log),
            exit_ns: None,
            lost_events: log.lost.events,
            lost_stacks: log.lost.stacks,
            unknown_functions: 0,
            unmatched_releases: 0,
            unseen_releases: 0,
            now: (0, 0),
        }
    }

    /// Plays the next events.
    pub fn play(&mut self, batch: &Batch) {
        match batch.has_many_heap_events() {
            true => self.play_allocs(batch),
            false => self.play_stream_ops(batch),
        }
    }

    /// As [`Player::play`], one event at a time: the reference for the fast paths.
    #[cfg(test)]
    pub fn play_singly(&mut self, batch: &Batch) {
        for step in batch.entries() {
            self.play_step(step, batch);
        }
    }

    /// Advances time to an event.
    #[inline(always)]
    fn pass(&mut self, step: &BatchEntry) {
        debug_assert!(self.now.0 <= step.ns, "readers yield events in order");
        self.now = (step.ns, step.tid);
        let sub_sites = self.annotations.sub_sites();
        self.growth
            .pass(self.now.0, || live_by_site(&mut self.accounting, sub_sites));
    }

    /// Plays any event at the current time.
    fn play_one(&mut self, step: &BatchEntry, batch: &Batch) {
        match step.what {
            EventKind::Allocation {
                block,
                site,
                address,
                size,
            } => self.allocation(block, site, address, size),
            EventKind::Release { block, site } => self.release(block, site),
            EventKind::Short(ref short) => self.call(short.site, &short.values(), 0),
            EventKind::Fill(number) => {
                let fill = batch.fill(number);
                self.set(fill.site, &set_of(fill), fill.stream);
            }
            EventKind::Other(number) => self.play_other(batch.other(number)),
        }
    }

    fn play_other(&mut self, event: &Event) {
        match *event {
            // These are steps of their own.
            Event::Thread { .. } | Event::Allocation { .. } | Event::Release { .. } => {}
            Event::AllocationFailed { site, size, status } => {
                self.calls.called(&self.sites, site);
                self.calls.refused(&self.sites, site, status, size);
                self.out_of_memory(site, size, status);
            }
            Event::ReleaseAt {
                site,
                address,
                mapping,
            } => self.release_at(site, address, mapping),
            Event::Refused {
                site,
                address,
                status,
            } => self.refused(site, address, status),
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
                ..
            } => {
                let copy = judge::Copy {
                    to,
                    room,
                    from,
                    count,
                };
                self.copy(site, &copy, stream);
            }
            Event::Copy2d {
                site,
                to,
                to_pitch,
                from,
                from_pitch,
                width,
                height,
                stream,
                ..
            } => {
                let copy = judge::Copy2d {
                    to,
                    to_pitch,
                    from,
                    from_pitch,
                    width,
                    height,
                };
                self.copy_2d(site, &copy, stream);
            }
            Event::Set {
                site,
                to,
                room,
                count,
                mapping,
                stream,
                ..
            } => {
                let set = judge::Memset {
                    to,
                    room,
                    count,
                    mapping,
                };
                self.set(site, &set, stream);
            }
            Event::Call {
                site,
                ref values,
                status,
            } => self.call(site, values, status),
            Event::Use {
                site,
                address,
                size,
                access,
                stream,
            } => {
                let used = judge::RangeUse {
                    address,
                    size,
                    access,
                };
                self.uses(site, &used, stream);
            }
            Event::Memory { site, free, total } => {
                self.on_mem_info(site, free, total);
                if self.is_our_query(site) {
                    return;
                }
                self.calls.called(&self.sites, site);
                let reported = self
                    .reported
                    .entry(self.sites.device(site))
                    .or_insert((free, total));
                *reported = (reported.0.min(free), total);
                let device = self.sites.device(site);
                self.reported_last.insert(device, (free, total));
            }
            Event::Guard {
                block,
                slack,
                guard,
                front,
            } => {
                if let Some(held) = self.heap.get(block) {
                    let overhead = GuardOverhead {
                        padding: slack.into(),
                        right_redzone: guard.into(),
                        left_redzone: front.into(),
                        has_guard_page: false,
                    };
                    self.accounting.guard(&held, overhead, self.now.0);
                }
            }
            Event::Fence {
                block,
                slack,
                guard,
                taken,
            } => self.guard_page(block, (slack.into(), guard.into()), taken),
            Event::Slow { block, ns } => self.slow(block, ns),
            Event::Damage {
                block,
                site,
                offset,
                extent,
                found,
            } => self.damage(block, site, (offset, extent), &found),
            event @ (Event::Pointer { .. } | Event::LostObject { .. } | Event::Gap { .. }) => {
                self.holds.part(event);
            }
            event @ Event::Scan { .. } => {
                let live = self.heap.live().map(|held| held.block.id);
                self.holds.scanned(event, live.chain(self.dropped.ids()));
            }
            Event::Unwritten {
                block,
                site,
                offset,
                extent,
            } => self.unwritten(block, site, offset, extent),
            Event::Dropped { count } => self.lost_events = self.lost_events.saturating_add(count),
            Event::Exit => (self.is_complete, self.exit_ns) = (true, Some(self.now.0)),
        }
    }

    fn allocation(&mut self, id: BlockId, site: CallSiteId, address: u64, size: u64) {
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Allocate(_)));
        let Some(call) = call else {
            self.calls.called(&self.sites, site);
            self.unknown_functions += 1;
            return;
        };
        let block = Block::of(&call, id, address, size);
        let (ns, tid) = self.now;
        let (held, stale) = self.heap.insert(block, ns, tid);
        let function = self.sites.function(site);
        self.calls.called_times(function, held.blocks());
        for stale in stale {
            self.unseen_releases += 1;
            self.accounting.on_free(&stale, ns, false);
        }
        let traits = self.sites.traits(site);
        let (is_plain, is_host) = (traits.is_plain, traits.is_host);
        if !is_plain || self.annotations.wants_blocks() {
            self.annotations.allocated(&block, self.now);
        }
        self.written.forget(&block);
        self.accounting.on_alloc(&held, ns);
        if is_host {
            self.auto_free.made(&block, call.argument);
        }
        if let Some(finding) = judge::allocation(&block, &self.profile) {
            self.found_times(finding, 1);
        }
        if !is_plain || self.objects_follow {
            self.transferred.made(&block);
            self.ask(|objects, scene| objects.made(&call, &block, scene));
            self.order.made(&call, &block);
        }
    }
}
