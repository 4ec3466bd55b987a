//! Symbolized sites of a replay: who allocates, who separates holes, who had the memory when it ran out.

use std::cmp::Reverse;

use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::*;
use aclsan_rules::api::family::Family;
use aclsan_rules::evidence::finding::Earlier;

use crate::logs::in_memory;
use crate::policy::verdict::SiteBudget;
use crate::replay::{Group, Layout, RefusedAllocation, Replay, SiteStats};
use crate::symbols::stacks::Stacks;

/// Most pinning sites reported per page class.
const MAX_PINNERS: usize = 5;
/// Latency above which an allocation is slow; below, it is usual.
const SLOW_NS: u64 = 50_000;

/// The fragmentation of one page class.
pub fn class((process, pid): (usize, u32), layout: &Layout, stacks: &mut Stacks) -> SpaceClass {
    let space = match layout.end.free_bytes > layout.peak.free_bytes {
        true => &layout.end,
        false => &layout.peak,
    };
    let unusable = |share| Unusable {
        request_bytes: layout.typical,
        share,
    };
    SpaceClass {
        pid,
        process,
        device: layout.device,
        page: layout.page.name(),
        peak_ns: layout.peak_ns,
        end: layout.end.clone(),
        peak: layout.peak.clone(),
        typical: unusable(layout.peak_unusable),
        typical_at_end: unusable(layout.end_unusable),
        pinners: pinners(&layout.pinners, space, stacks),
    }
}

/// The sites that pin most of the holes of `space`.
fn pinners(pinnings: &[Pinning], space: &Space, stacks: &mut Stacks) -> Vec<Pinner> {
    let reported = pinnings.iter().take(MAX_PINNERS).map(|pinning| Pinner {
        blocks: pinning.blocks,
        bytes: pinning.bytes,
        share: pinning.bytes as f64 / space.asked_bytes.max(1) as f64,
        hole_bytes: pinning.hole_bytes,
        merged_bytes: pinning.merged_bytes,
        allocated: stacks.trace("allocated", CallSiteId(pinning.owner)),
    });
    reported.collect()
}

/// The parts of a group of leaked blocks.
pub fn parts((process, pid): (usize, u32), group: &Group, epochs: &[Epoch]) -> Vec<LeakPart> {
    let parts = group.parts.iter().map(|(part, sum)| {
        let at = (part.epoch as usize).checked_sub(1);
        let epoch = at.map(|at| epochs.get(at).map_or(LATER_EPOCHS, |epoch| &epoch.name));
        LeakPart {
            pid,
            process: Some(process),
            thread: part.thread,
            below_ns: part.below_ns,
            epoch: epoch.unwrap_or_default().to_owned(),
            blocks: sum.blocks,
            bytes: sum.bytes,
        }
    });
    parts.collect()
}

/// A process in a report.
pub fn process(log: &Log, replay: &Replay) -> Process {
    let property = |key: &str| log.properties.get(key).cloned().unwrap_or_default();
    Process {
        pid: log.header.pid,
        log: in_memory::shown(&log.path).display().to_string(),
        program: property("program"),
        arguments: property("arguments"),
        host: property("host"),
        parent: property("parent"),
        forked_from: property("forked_from"),
        options: property("options"),
        shim_version: property("shim_version"),
        shim_build_id: property("shim_build_id"),
        soc: property("soc"),
        cann_version: property("cann_version"),
        driver_version: property("driver_version"),
        run_mode: property("run_mode"),
        started_realtime_ns: log.header.started.realtime_ns,
        duration_ns: replay.duration_ns,
        is_complete: replay.is_complete,
        is_running: replay.is_running,
        end: ProcessEnd::default(),
        went_on: String::new(),
        dropped_events: replay.dropped,
        events: replay.events,
        calls: replay.calls.total,
    }
}

/// The analysis of a refused allocation.
pub fn autopsy(
    (process, pid): (usize, u32),
    refused: &RefusedAllocation,
    stacks: &mut Stacks,
) -> OomReport {
    let holders = refused.consumers.iter().map(|(site, sum)| TopConsumer {
        blocks: sum.blocks,
        bytes: sum.bytes,
        allocated: stacks.trace("allocated", *site),
    });
    let holders = holders.collect();
    let pinners = pinners(&refused.pinners, &refused.space, stacks);
    OomReport {
        pid,
        process,
        device: refused.call.device,
        ns: refused.ns,
        count: refused.count,
        request_bytes: refused.size,
        status: refused.status,
        page: refused.page.map_or("", Page::name),
        cause: refused.cause,
        live_bytes: refused.live,
        page_bytes: refused.device.pages,
        guard_bytes: refused.device.guards,
        largest_granted_bytes: refused.device.largest,
        largest_hole_bytes: refused.space.largest_hole_bytes,
        pinners,
        reported: refused.mem_info.map(|word| RuntimeMemInfo {
            free_bytes: word.free,
            total_bytes: word.total,
            ns: word.ns,
            taken_bytes: word.taken,
            returned_bytes: word.returned,
        }),
        holders,
        refused: stacks.trace("refused", refused.call.site),
    }
}

/// Adds the allocation sites of a process to `to`, which keeps the largest, and all that have a budget.
pub fn allocations(
    (process, pid): (usize, u32),
    replay: &Replay,
    stacks: &mut Stacks,
    budgets: &[SiteBudget],
    to: &mut Allocations,
) {
    let places = replay.site_stats.iter().enumerate();
    let mut places: Vec<(usize, &SiteStats)> = places
        .filter(|(_, stats)| stats.allocated.blocks > 0)
        .collect();
    places.sort_by_key(|(at, stats)| (Reverse(stats.peak.0), *at));
    if replay.has_times {
        for (_, stats) in &places {
            if let Some(latency) = measured(stats, true) {
                to.took(&latency);
            }
        }
    }
    let (of_process, all) = (places.len(), &mut to.sites);
    let mut most = places.len().min(Allocations::MAX_SITES);
    if let Some(least) = all
        .get(Allocations::MAX_SITES - 1)
        .map(|site| site.peak_bytes)
    {
        // Sites with as much as the last kept one would be dropped again.
        most = most.min(places.partition_point(|(_, stats)| stats.peak.0 > least));
    }
    let small = places.split_off(most);
    let has_budget = |trace: &Trace| budgets.iter().any(|budget| budget.covers(trace));
    if !budgets.is_empty() {
        let mut trace = |at: usize| stacks.trace("allocated", CallSiteId(at as u32));
        let bounded = small.into_iter();
        places.extend(bounded.filter(|(at, _)| has_budget(&trace(*at))));
    }
    let before = all.len() + of_process;
    all.extend(places.into_iter().map(|(at, stats)| {
        let again = stats.again(replay.has_times);
        let family = stats.first.map(|held| held.block.family());
        AllocationSite {
            pid,
            process,
            family: family.map_or("", Family::name),
            allocations: stats.allocated.blocks,
            releases: stats.releases,
            allocated_bytes: stats.allocated.bytes,
            peak_bytes: stats.peak.0,
            peak_ns: stats.peak.1,
            repeated: again.again,
            slack: slack(stats),
            lifetime: lifetime(stats),
            latency: measured(stats, replay.has_times),
            allocated: stacks.trace("allocated", CallSiteId(at as u32)),
        }
    }));
    all.sort_by_key(|site| Reverse(site.peak_bytes));
    if all.len() > Allocations::MAX_SITES {
        let small = all.split_off(Allocations::MAX_SITES);
        all.extend(small.into_iter().filter(|site| has_budget(&site.allocated)));
    }
    to.left_out += (before - all.len()) as u64;
}

/// Whether the shim measures the latency of its allocations.
fn is_timed(family: Family) -> bool {
    use Family::*;
    matches!(family, Device | Pinned | Dvpp | DvppMpi | Managed)
}

/// How long the runtime took, if that was measured.
pub fn measured(stats: &SiteStats, has_times: bool) -> Option<Latency> {
    let family = stats.first.map(|held| held.block.family());
    (has_times && family.is_some_and(is_timed)).then(|| latency(stats))
}

/// The overhead of rounding and pages.
pub fn slack(stats: &SiteStats) -> Option<Slack> {
    let worst = &stats.worst;
    (worst.asked.blocks > 0).then(|| Slack {
        blocks: worst.asked.blocks,
        asked_bytes: worst.asked.bytes,
        rounded_bytes: worst.rounded,
        page_bytes: worst.pages,
        normal_bytes: worst.normal,
        pooled_bytes: worst.paged().pooled().min(worst.pages),
    })
}

/// Lifetimes of released blocks.
pub fn lifetime(stats: &SiteStats) -> Option<Lifetime> {
    let lifetimes = stats.lifetimes.whole();
    let at = |percent| lifetimes.quantile(percent, 0);
    Some(Lifetime {
        p50_ns: at(50)?,
        p90_ns: at(90)?,
        longest_ns: at(100)?,
    })
}

fn latency(stats: &SiteStats) -> Latency {
    let measured = stats.slow.count();
    let fast = stats.allocated.blocks.saturating_sub(measured);
    let slow = stats.slow.above(SLOW_NS);
    let at = |percent| stats.slow.quantile(percent, fast);
    let median = at(50).unwrap_or(0).max(aclsan_log::record::SLOW_NS);
    Latency {
        fast,
        usual: measured - slow,
        slow,
        total_ns: stats.slow_ns.0,
        p50_ns: at(50),
        p90_ns: at(90),
        p99_ns: at(99),
        stalled: stats.slow.above(median.saturating_mul(10)),
        slowest_ns: (measured > 0).then_some(stats.slow_ns.1),
        outgrown: (stats.outgrown).map(|(reported_free_bytes, page_bytes)| Outgrown {
            reported_free_bytes,
            page_bytes,
        }),
    }
}

/// The report's word for what an earlier call did.
pub fn what(earlier: Earlier) -> &'static str {
    match earlier {
        Earlier::Allocated => "allocated",
        Earlier::Released => "released",
        Earlier::Reset => "reset",
        Earlier::Exported => "exported",
        Earlier::Registered => "registered",
        Earlier::Sent => "sent",
        Earlier::Queued => "queued",
        Earlier::Neighbor => "neighbour",
        Earlier::Named => "named",
        Earlier::NeighborNamed => "neighbour-named",
    }
}

/// Adds what a process transferred between host and devices.
pub fn transfers(
    (process, pid): (usize, u32),
    replay: &Replay,
    stacks: &mut Stacks,
    to: &mut Transfers,
) {
    let reported = &replay.transferred;
    to.copies += reported.copies;
    to.bytes = to.bytes.saturating_add(reported.bytes);
    to.pinned_bytes = to.pinned_bytes.saturating_add(reported.pinned);
    to.registered_bytes = to.registered_bytes.saturating_add(reported.registered);
    let mut sites: Vec<_> = reported.pageable.iter().collect();
    sites.sort_by_key(|(site, pageable)| (std::cmp::Reverse(pageable.bytes), site.0));
    to.left_out += sites.len().saturating_sub(Transfers::MAX_SITES) as u64;
    let sites = sites.into_iter().take(Transfers::MAX_SITES);
    to.sites.extend(sites.map(|(&site, pageable)| TransferSite {
        pid,
        process,
        copies: pageable.copies,
        bytes: pageable.bytes,
        again: pageable.again,
        is_async: pageable.is_async,
        pays: TransferSite::would_pay(pageable.bytes, pageable.again),
        transferred: stacks.trace("transferred", site),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(blocks: u64, slow: &[u64]) -> SiteStats {
        let mut stats = SiteStats::default();
        stats.allocated.blocks = blocks;
        for &ns in slow {
            stats.slow.add(ns);
            stats.slow_ns.0 += ns;
            stats.slow_ns.1 = stats.slow_ns.1.max(ns);
        }
        stats
    }

    #[test]
    fn latencies_are_sorted_at_10_and_50_microseconds_and_at_ten_times_the_median() {
        // 10 blocks: 6 fast, 2 from 10 to 50 µs, 2 above. The median is fast, so ten times it is at most 100 µs, which 400 µs exceeds.
        let reported = latency(&stats(10, &[10_000, 48_000, 60_000, 400_000]));
        assert_eq!((reported.fast, reported.usual, reported.slow), (6, 2, 2));
        assert_eq!((reported.stalled, reported.total_ns), (1, 518_000));
        assert_eq!(
            (reported.p50_ns, reported.slowest_ns),
            (None, Some(400_000))
        );
        // 3 blocks, median 40 µs (as 40,960, at most a 32nd too much): 400 µs is ten times that, 500 µs is more.
        let reported = latency(&stats(3, &[20_000, 40_000, 400_000]));
        assert_eq!((reported.fast, reported.usual, reported.slow), (0, 2, 1));
        assert_eq!(reported.stalled, 0);
        assert_eq!(latency(&stats(3, &[20_000, 40_000, 500_000])).stalled, 1);
    }
}
