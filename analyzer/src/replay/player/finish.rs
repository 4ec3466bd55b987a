//! The end of replay: leaks, layouts, totals.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use aclsan_log::{CallSiteId, Log};
use aclsan_render::units::{bytes, counted};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::consequences::{leak_growing, mismatched_free};
use aclsan_rules::evidence::estimate;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::judge;
use aclsan_rules::trackers::heap::LiveBlock;
use aclsan_rules::trackers::hiai_auto_free::is_auto_free;
use aclsan_rules::trackers::objects::{ObjectTracker, PoolSegment};
use aclsan_rules::trackers::stream_order::RaceDetector;

use super::Player;
use crate::replay::annotations::Annotations;
use crate::replay::dedup::{self, CountedFinding, Deduplicator};
use crate::replay::end::{self, Ending};
use crate::replay::leaks::group::{Group, PoolShare, Reset};
use crate::replay::leaks::pinned_cache::pinned_cache;
use crate::replay::leaks::reachability::of_group;
use crate::replay::leaks::{AtEnd, BlockAtEnd, EachBlock, Key, group, key};
use crate::replay::sites::Sites;
use crate::replay::{Replay, Sum};

/// The pool that hands out parts of a block. A part that was recorded without a stack counts where the block was allocated.
fn pool_segment(objects: &ObjectTracker, log: &Log, block: &Block) -> Option<PoolSegment> {
    let mut segment = objects.pool_segment(block)?;
    for part in &mut segment.live {
        if log.site(part.site).frames.is_empty() {
            part.site = block.site;
        }
    }
    Some(segment)
}

impl Player {
    /// Finishes the replay. `is_damaged` says that parts of the log were lost, possibly with releases. `each_block` is called for each block
    /// that was live at the end or reclaimed by the device's last reset.
    pub fn finish(mut self, log: &Log, is_damaged: bool, each_block: Option<EachBlock>) -> Replay {
        let is_ended = end::is_ended(log, self.exit_ns);
        // Nothing that is live then is a leak.
        let is_cut_short = is_ended && self.exit_ns.is_none();
        self.is_complete &= !is_cut_short;
        let is_leaks_only = self.accounting.is_leaks_only();
        self.accounting.read();
        let (names, ignored) = (&self.annotations.names, &self.annotations.ignored);
        // Names are reported in order of time; layouts are built in order of addresses.
        let mut live = Vec::new();
        if !is_leaks_only || !names.is_empty() || each_block.is_some() {
            live.extend(self.heap.live_in_order());
        }
        if !names.is_empty() {
            live.sort_by_cached_key(|held| held.order);
        }
        let at_end = AtEnd {
            ns: self.now.0,
            epoch: &|ns| self.annotations.epoch_at(ns),
            holds: &self.holds,
            keeper: &|id| self.consequences.keeper_of(id)?.handle,
            pool: &|block| pool_segment(&self.objects, log, block),
            since: &|address| self.annotations.sub_sites().since(address),
        };
        let dropped: Vec<(LiveBlock, Reset)> = match &each_block {
            Some(_) => self.dropped.blocks().collect(),
            None => Vec::new(),
        };
        let reclaimed = self.dropped.by_site(&self.sites);
        let mut groups = self.dropped.take_all(&self.sites, names, &at_end);
        let of_leaks = |live: &mut dyn Iterator<Item = LiveBlock>| {
            let heeded = live.filter(|held| !ignored.has(held.block.id));
            let heeded = heeded.filter(|held| !self.may_have_been_dropped(&held.block));
            let heeded = heeded.map(|held| (held, None));
            group(heeded, &self.sites, names, &at_end)
        };
        let ending = is_ended.then(|| self.ending(log)).flatten();
        let usage = self.accounting.applied().filter(|_| !is_leaks_only);
        let layouts = || usage.map_or_else(Vec::new, |usage| usage.layouts(&live, &self.sites));
        let of_live = || match live.is_empty() {
            _ if is_cut_short => Vec::new(),
            true => of_leaks(&mut self.heap.live()),
            false => of_leaks(&mut live.iter().copied()),
        };
        let (layouts, of_live) = match live.len() >= MANY_LIVE {
            true => beside(layouts, of_live),
            false => (layouts(), of_live()),
        };
        groups.extend(of_live);

        let is_certain = self.is_complete && !is_damaged && self.lost_events == 0;
        let wasted = self.waste(&live, &layouts);
        let mut findings = std::mem::take(&mut self.findings).finish();
        // The missing part may have had the wait, or a block that has the memory now.
        let may_lack_waits = is_damaged || self.lost_events > 0 || self.heap.is_sampled();
        let places = dedup::retain(&mut findings, |finding| {
            !may_lack_waits || !RaceDetector::is_needed_by(finding.rule)
        });
        // The one above cannot outlive `waste`.
        let at_end = AtEnd {
            ns: self.now.0,
            epoch: &|ns| self.annotations.epoch_at(ns),
            holds: &self.holds,
            keeper: &|id| self.consequences.keeper_of(id)?.handle,
            pool: &|block| pool_segment(&self.objects, log, block),
            since: &|address| self.annotations.sub_sites().since(address),
        };
        let mut leaks = Vec::new();
        let mut leak_of: BTreeMap<Key, (usize, Reachability)> = BTreeMap::new();
        let has_epochs = self.annotations.epoch_at(u64::MAX) > 0;
        let allocated = self.accounting.allocated(self.hot_calls.uncounted());
        for mut group in groups {
            let place = self.sites.canonical(group.first.block.site);
            let allocated = allocated.get(place.0 as usize).copied().unwrap_or(0);
            let key = key(&group.first, group.reset, &self.sites, &at_end);
            group.hold = of_group(&group, allocated, has_epochs);
            let reset = group.reset.map(|(site, _)| site);
            let block = &group.first.block;
            let flag = self
                .sites
                .call(block.site, |_| true)
                .map_or(0, |call| call.argument);
            let (sum, hold) = ((group.blocks, group.bytes), (group.hold, group.mapping));
            let allocator = pinned_cache(log, block).filter(|_| group.pool.is_none());
            let finding = match group.pool {
                Some(PoolShare::Cache(name)) => {
                    judge::cached(block, sum, reset, self.annotations.text(name))
                }
                Some(PoolShare::Parts(name, is_own)) => {
                    let pool = (self.annotations.text(name), is_own);
                    judge::sub_block_leak(block, sum, reset, hold, pool)
                }
                None if allocator.is_some() => {
                    judge::kept_by(block, sum, reset, allocator.unwrap_or_default())
                }
                None if block.family() == Family::Hiai && is_auto_free(flag) => {
                    judge::never_sent(block, group.blocks, group.bytes)
                }
                None => {
                    let object = self.holds.lost_object(block.id);
                    let class = object.map(|object| self.annotations.text(object.class.into()));
                    let object = object.map(|object| (object.size, class.unwrap_or("")));
                    judge::leak(block, sum, reset, (hold, object))
                }
            };
            let at = finding.map(|finding| {
                let mut apart = Deduplicator::default();
                let finding = match group.keeper {
                    // Unlike the other leaks of its place.
                    Some(_) => mismatched_free::kept(finding),
                    None => finding,
                };
                let finding = match is_certain {
                    true => finding,
                    // If events were dropped, so was the end mark.
                    false => doubt(finding, self.is_complete || self.lost_events > 0),
                };
                let finding = named(finding, &group.names, &self.annotations);
                let finding = estimated(sampled(finding, &group), &group);
                apart.add_apart(finding, 1, group.first.since_ns, group.first.thread);
                let mut leak = apart.finish();
                if let Some(root) = group.keeper.and_then(|root| places[root]) {
                    leak[0].follow(root);
                }
                findings.append(&mut leak);
                findings.len() - 1
            });
            let is_leak = allocator.is_none() && !matches!(group.pool, Some(PoolShare::Cache(_)));
            if is_leak && group.first.block.family().is_memory() {
                if let Some(key) = key.filter(|_| each_block.is_some() && group.pool.is_none()) {
                    leak_of.insert(key, (leaks.len(), group.hold));
                }
                leaks.push((group, at));
            }
        }
        if let Some(each) = each_block {
            let dropped = dropped.into_iter();
            let dropped = dropped.map(|(held, reset)| (held, Some(reset)));
            let still = live.iter().map(|held| (*held, None));
            for (held, reset) in dropped.chain(still) {
                let is_ignored = reset.is_none() && self.annotations.ignored.has(held.block.id);
                let key = key(&held, reset, &self.sites, &at_end);
                let leak = key.and_then(|key| leak_of.get(&key));
                each(&BlockAtEnd {
                    held,
                    site: self.sites.whole(held.block.site),
                    leak: leak.copied().filter(|_| !is_ignored),
                    is_reclaimed: reset.is_some(),
                    category: self.annotations.category_of(held.block.id),
                });
            }
        }

        let first_wasted = findings.len();
        findings.extend(wasted);
        fold_leaks(&mut findings, first_wasted, &self.sites);

        let usage = self.accounting.read();
        let fit = usage.fit.take();
        let spreads = usage.spreads.take();
        let site_stats = std::mem::take(&mut usage.site_stats.list);
        let (live_by_site, at_peak) = match is_leaks_only {
            true => Default::default(),
            false => {
                let now = live.iter().map(|held| {
                    let place = self.sites.canonical(held.block.site);
                    (place, held.blocks(), held.bytes)
                });
                let at_peak = usage.at_peak(&live, &self.sites);
                (
                    by_site(now, &self.sites),
                    by_site(at_peak.into_iter(), &self.sites),
                )
            }
        };
        let devices = usage.devices.iter();
        self.hot_calls.count(&mut self.calls);
        Replay {
            findings,
            first_of_sums: first_wasted,
            leaks,
            unknown: self.unknown,
            calls: self.calls,
            families: usage.families,
            devices: devices.map(|(device, of)| (device, of.all())).collect(),
            spreads,
            reported: self.reported,
            layouts,
            has_times: self.has_times,
            refused: usage.oom.list.clone(),
            transferred: self.transferred,
            fits: fit.map_or_else(Vec::new, |fit| fit.finish(self.now.0)),
            points: usage.timelines.points(),
            device_points: usage.timelines.device_points(),
            allocated: site_stats.iter().map(|stats| stats.allocated).collect(),
            site_stats,
            live: live_by_site,
            reclaimed,
            at_peak,
            annotations: self.annotations.finish(self.is_opaque),
            events: 0,
            duration_ns: self.now.0,
            scan: self.holds.last(),
            is_complete: self.is_complete,
            is_running: false,
            ending,
            dropped: self.lost_events,
            stackless: self.lost_stacks,
            damage: Vec::new(),
            unknown_records: 0,
            unknown_functions: self.unknown_functions,
            unmatched_releases: self.unmatched_releases,
            unseen_releases: self.unseen_releases,
            guards: (
                usage.guarded,
                usage.guard_bytes,
                usage.moved,
                usage.in_padding,
            ),
            guard_pages: usage.guard_pages,
            with_guard_page: usage.with_guard_page,
        }
    }
}

impl Player {
    /// How the process ended, if the log's header says so.
    fn ending(&self, log: &Log) -> Option<Ending> {
        let (end, site) = log.end.as_ref()?;
        let mut live = Sum::default();
        let ignored = &self.annotations.ignored;
        let held = self
            .heap
            .live()
            .filter(|held| held.block.family().is_memory() && !ignored.has(held.block.id));
        held.for_each(|held| live.add(&held));
        Some(Ending {
            ns: match end.ticks {
                0 => self.now.0,
                ticks => log.clock.ns(ticks),
            },
            site: *site,
            calls: end::last_calls(log),
            live,
        })
    }
}

/// Live blocks from which on layouts have a thread of their own.
const MANY_LIVE: usize = 4096;

/// Runs both at once, the first on another thread, if the system can start one.
fn beside<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => first(),
        };
        (first, second)
    })
}

/// Folds leaks into the growth of the same place. Findings about growth come from `first_wasted` on.
fn fold_leaks(findings: &mut [CountedFinding], first_wasted: usize, sites: &Sites) {
    let (leaks, wasted) = findings.split_at_mut(first_wasted);
    let growing = wasted.iter().zip(first_wasted..);
    let growing = growing.filter(|(folded, _)| leak_growing::is_root(&folded.finding));
    for (growing, root) in growing {
        for leak in leaks.iter_mut().filter(|leak| leak.roots.is_empty()) {
            let place = |site| sites.canonical(site);
            if leak_growing::takes_in(&growing.finding, &leak.finding, place) {
                leak.follow(root);
            }
        }
    }
}

/// Blocks and bytes by site.
fn by_site(
    shares: impl Iterator<Item = (CallSiteId, u64, u64)>,
    sites: &Sites,
) -> BTreeMap<CallSiteId, Sum> {
    let mut sums = vec![Sum::default(); sites.len()];
    for (site, blocks, bytes) in shares {
        let sum = &mut sums[site.0 as usize];
        sum.blocks += blocks;
        sum.bytes = sum.bytes.saturating_add(bytes);
    }
    let sums = (0..).map(CallSiteId).zip(sums);
    sums.filter(|(_, sum)| sum.blocks > 0).collect()
}

/// Adds the names that the program gave the blocks.
fn named(finding: Finding, names: &[u32], annotations: &Annotations) -> Finding {
    if names.is_empty() {
        return finding;
    }
    let names = names
        .iter()
        .map(|&name| format!("`{}`", annotations.text(name.into())));
    finding.detail(format!("named {}", names.collect::<Vec<_>>().join(", ")))
}

/// Says of how many blocks the stack is inferred.
fn sampled(finding: Finding, group: &Group) -> Finding {
    match group.cut {
        0 => finding,
        cut => finding.detail(format!(
            "{cut} of {} come from calls of which only the line was recorded (`stack_sample`): no other stack with that line was",
            counted(group.blocks, "block")
        )),
    }
}

/// Marks the sums of a finding as estimates, with their bounds, if they come from a sample of the blocks.
fn estimated(finding: Finding, group: &Group) -> Finding {
    let Some([low, high]) = group.spread.bounds(group.bytes) else {
        return finding;
    };
    let detail = format!(
        "estimated from {} on record (`block_sample`): {} to {} with 95 % confidence",
        counted(group.recorded, "block"),
        bytes(low),
        bytes(high)
    );
    Finding {
        message: estimate::marked(&finding.message),
        ..finding.detail(detail)
    }
}

/// Detail of a leak in a log without an end mark.
pub const NO_END: &str =
    "the log ends before the process did: it was killed, left by `_exit`, or still runs";

/// Weakens a leak that the log does not prove: the process may have continued, or a release may be missing.
fn doubt(finding: Finding, is_complete: bool) -> Finding {
    let why = match is_complete {
        true => "parts of the log are missing, and releases with them, maybe",
        false => NO_END,
    };
    let severity = finding.severity.min(Severity::Warning);
    finding.severity(severity).detail(why)
}
