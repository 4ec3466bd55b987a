//! Rows of what a process is, and of its sums: everything without a stack.

use aclsan_dataset::tables::{Call, Category, Epoch, Layout, Point, Pool, Process, Usage};
use aclsan_log::{Log, record};
use aclsan_render::model::Space;
use aclsan_rules::api::family::Family;

use super::identity::{Identity, Labels};
use super::lines;
use crate::logs::in_memory;
use crate::logs::run_id::KEY as RUN;
use crate::replay::{Replay, block_sample};
use crate::report::annotations::source_name;
use crate::report::dump::{ended, gaps};

/// The process; sums over its leaks and findings are the caller's.
pub fn process(who: &Identity, labels: &Labels, log: &Log, replay: &Replay) -> Process {
    let property = |key: &str| log.properties.get(key).cloned().unwrap_or_default();
    let gaps = replay.scan.map(|scan| gaps(&scan.gaps)).unwrap_or_default();
    let notices = log.properties.iter();
    let notices = notices.filter(|(key, _)| key.starts_with(record::NO_FRONT));
    let (ignored_blocks, ignored_bytes, ignored_findings) = replay.annotations.ignored;
    let devices = replay.devices.values();
    Process {
        process: who.key.clone(),
        run_id: who.run.clone(),
        host_name: who.host.clone(),
        process_number: log.header.pid,
        model: labels.model.clone().unwrap_or_default(),
        model_version: labels.model_version.clone().unwrap_or_default(),
        log: in_memory::shown(&log.path).display().to_string(),
        program: property("program"),
        arguments: property("arguments"),
        parent: property("parent"),
        forked_from: property("forked_from"),
        aclsan_run: log.properties.get(RUN).cloned(),
        options: property("options"),
        shim_version: property("shim_version"),
        shim_build_id: property("shim_build_id"),
        soc: property("soc"),
        cann_version: property("cann_version"),
        driver_version: property("driver_version"),
        run_mode: property("run_mode"),
        started_ns: log.header.started.realtime_ns,
        duration_ns: replay.duration_ns,
        is_complete: replay.is_complete,
        events: replay.events,
        calls: replay.calls.total,
        peak_bytes: at_peak(replay),
        live_bytes: devices.fold(0, |sum, (live, ..)| live.saturating_add(sum)),
        dropped_events: replay.dropped,
        stackless_calls: replay.stackless,
        stack_sample: property("stack_sample").parse().unwrap_or(0),
        block_sample: block_sample(log).map_or(0, |sample| sample.mean()),
        unknown_records: replay.unknown_records,
        unknown_functions: replay.unknown_functions,
        unmatched_releases: replay.unmatched_releases,
        unseen_releases: replay.unseen_releases,
        guarded_blocks: replay.guards.0,
        guard_bytes: replay.guards.1,
        guards_changed_page: replay.guards.2,
        guards_in_slack: replay.guards.3,
        guard_page_bytes: replay.guard_pages,
        guard_page_blocks: replay.with_guard_page,
        guard_notices: lines(notices.map(|(_, sentence)| sentence)),
        ignored_blocks,
        ignored_bytes,
        ignored_findings,
        epochs_left_out: replay.annotations.epochs_left_out,
        scan_outcome: replay.scan.map(|scan| ended(scan.outcome).to_owned()),
        scan_bytes: replay.scan.map_or(0, |scan| scan.bytes),
        scan_ns: replay.scan.map_or(0, |scan| scan.ns),
        scan_threads: replay.scan.map_or(0, |scan| scan.threads),
        scan_gaps: lines(gaps.iter().map(|gap| format!("{} {}", gap.what, gap.count))),
        ..Process::default()
    }
}

/// Device memory at its peak.
pub fn at_peak(replay: &Replay) -> u64 {
    let sites = replay.at_peak.values();
    sites.fold(0, |sum, site| site.bytes.saturating_add(sum))
}

/// What memory is for.
pub fn categories<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Category> + 'a {
    replay.annotations.categories.iter().map(|of| Category {
        process: key.to_owned(),
        category: of.name.to_owned(),
        allocations: of.allocations,
        live_blocks: of.live_blocks,
        live_bytes: of.live_bytes,
        peak_bytes: of.peak_bytes,
        peak_ns: of.peak_ns,
        idle_bytes: of.idle_bytes,
        oversized_bytes: of.oversized_bytes,
    })
}

/// The same over time, with numbers that follow those of [`timeline`].
pub fn category_timeline<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Point> + 'a {
    let device_points = replay.device_points.iter().map(|(_, points)| points.len());
    let before = replay.points.len() + device_points.sum::<usize>();
    let categories = replay.annotations.categories.iter();
    let points = categories.flat_map(|of| of.over_time.iter().map(move |point| (of.name, point)));
    (before as u32..)
        .zip(points)
        .map(|(number, (name, point))| Point {
            process: key.to_owned(),
            point: number,
            ns: point.ns,
            device: None,
            family: String::new(),
            category: name.to_owned(),
            live_bytes: point.bytes,
            is_part: true,
        })
}

/// The points, one row for each family that is ever in use; a process without any has rows of the first. Points of single devices follow, if
/// there are several.
pub fn timeline<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Point> + 'a {
    let mut devices = replay.devices.keys().copied();
    let only = devices.next().filter(|_| devices.next().is_none());
    let families = 0..Family::MEMORY.len();
    let is_used = |at: &usize| replay.points.iter().any(|point| point.live[*at] > 0);
    let mut used: Vec<usize> = families.filter(is_used).collect();
    if used.is_empty() {
        used.push(0);
    }
    let of_device = |at: &usize| !Family::MEMORY[*at].is_host();
    let on_devices: Vec<usize> = used.iter().copied().filter(of_device).collect();
    let all = replay.points.iter().map(move |point| (point, only, false));
    let devices = replay.device_points.iter();
    let parts = devices
        .flat_map(|(device, points)| points.iter().map(|point| (point, Some(*device), true)));
    let points = (0..).zip(all.chain(parts));
    points.flat_map(move |(number, (point, device, is_part))| {
        let families = if is_part {
            on_devices.clone()
        } else {
            used.clone()
        };
        families.into_iter().map(move |at| {
            let family = Family::MEMORY[at];
            Point {
                process: key.to_owned(),
                point: number,
                ns: point.ns,
                device: device.filter(|_| !family.is_host()),
                family: family.name().to_owned(),
                category: if family.is_host() { "host" } else { "device" }.to_owned(),
                live_bytes: point.live[at],
                is_part,
            }
        })
    })
}

/// Epochs, then snapshots.
pub fn epochs(key: &str, replay: &Replay) -> Vec<Epoch> {
    let reported = &replay.annotations;
    let epochs = reported.epochs.iter().map(|epoch| Epoch {
        process: key.to_owned(),
        kind: epoch.kind.to_owned(),
        domain: epoch.domain.clone(),
        name: epoch.name.clone(),
        begin_ns: epoch.begin_ns,
        end_ns: epoch.end_ns,
        live_bytes: epoch.live_bytes,
        ..Epoch::default()
    });
    let snapshots = reported.snapshots.iter().map(|snapshot| Epoch {
        process: key.to_owned(),
        kind: "snapshot".to_owned(),
        name: snapshot.name.clone(),
        begin_ns: snapshot.ns,
        live_bytes: snapshot.bytes,
        live_blocks: Some(snapshot.blocks),
        ..Epoch::default()
    });
    let all = (0..).zip(epochs.chain(snapshots));
    all.map(|(epoch, row)| Epoch { epoch, ..row }).collect()
}

pub fn pools<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Pool> + 'a {
    replay.annotations.pools.iter().map(|record| {
        let live = record.live.values();
        Pool {
            process: key.to_owned(),
            source: source_name(record.source).to_owned(),
            name: record.name.clone(),
            device: record.device,
            pools: record.pools,
            capacity_bytes: record.bytes,
            allocations: record.allocations,
            releases: record.releases,
            dropped: record.dropped,
            live_blocks: live.clone().map(|sum| sum.blocks).sum(),
            live_bytes: live.fold(0, |bytes: u64, sum| bytes.saturating_add(sum.bytes)),
            peak_bytes: record.peak.0,
            peak_ns: record.peak.1,
            overlaps: record.overlaps,
            outside: record.outside,
        }
    })
}

/// Devices, then families that are in use.
pub fn usage(key: &str, replay: &Replay) -> Vec<Usage> {
    let mut devices: Vec<i32> = replay.devices.keys().copied().collect();
    let reported = replay.reported.keys();
    devices.extend(reported.filter(|device| !replay.devices.contains_key(device)));
    let devices = devices.into_iter().map(|device| {
        let used = replay.devices.get(&device).copied().unwrap_or_default();
        let reported = replay.reported.get(&device);
        Usage {
            process: key.to_owned(),
            device: Some(device),
            live_bytes: used.0,
            peak_bytes: used.1,
            peak_ns: used.2,
            least_free_bytes: reported.map(|(free, _)| *free),
            total_bytes: reported.map(|(_, total)| *total),
            ..Usage::default()
        }
    });
    let families = Family::MEMORY.into_iter().zip(&replay.families);
    let families = families.filter(|(_, totals)| totals.allocations > 0);
    let families = families.map(|(family, totals)| Usage {
        process: key.to_owned(),
        family: Some(family.name().to_owned()),
        allocations: totals.allocations,
        releases: totals.releases,
        allocated_bytes: totals.allocated,
        live_bytes: totals.live,
        peak_bytes: totals.peak.0,
        peak_ns: totals.peak.1,
        ..Usage::default()
    });
    devices.chain(families).collect()
}

pub fn calls<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Call> + 'a {
    let calls = replay.calls.names.iter().zip(&replay.calls.tallies);
    let calls = calls.filter(|(_, tally)| tally.calls > 0 || tally.failures > 0);
    calls.map(|(name, tally)| Call {
        process: key.to_owned(),
        function: name.clone(),
        calls: tally.calls,
        failures: tally.failures,
    })
}

pub fn layouts<'a>(key: &'a str, replay: &'a Replay) -> impl Iterator<Item = Layout> + 'a {
    replay.layouts.iter().map(move |layout| {
        let (peak, end) = (&layout.peak, &layout.end);
        Layout {
            process: key.to_owned(),
            device: layout.device,
            page: layout.page.name().to_owned(),
            peak_ns: layout.peak_ns,
            typical_bytes: layout.typical,
            peak_blocks: peak.blocks,
            peak_asked_bytes: peak.asked_bytes,
            peak_rounded_bytes: peak.rounded_bytes,
            peak_page_bytes: peak.page_bytes,
            peak_slack_bytes: peak.slack_bytes,
            peak_span_bytes: peak.span_bytes,
            peak_spans: peak.spans,
            peak_free_bytes: peak.free_bytes,
            peak_holes: peak.holes,
            peak_usual_holes: peak.usual_holes,
            peak_largest_hole_bytes: peak.largest_hole_bytes,
            peak_fragmentation: peak.index,
            peak_unusable_2m: unusable(peak, 0),
            peak_unusable_64m: unusable(peak, 1),
            peak_unusable_512m: unusable(peak, 2),
            peak_unusable_typical: layout.peak_unusable,
            end_blocks: end.blocks,
            end_asked_bytes: end.asked_bytes,
            end_rounded_bytes: end.rounded_bytes,
            end_page_bytes: end.page_bytes,
            end_slack_bytes: end.slack_bytes,
            end_span_bytes: end.span_bytes,
            end_spans: end.spans,
            end_free_bytes: end.free_bytes,
            end_holes: end.holes,
            end_usual_holes: end.usual_holes,
            end_largest_hole_bytes: end.largest_hole_bytes,
            end_fragmentation: end.index,
            end_unusable_2m: unusable(end, 0),
            end_unusable_64m: unusable(end, 1),
            end_unusable_512m: unusable(end, 2),
            end_unusable_typical: layout.end_unusable,
        }
    })
}

/// The share that one of `HELD_REQUESTS` cannot use.
fn unusable(space: &Space, at: usize) -> f64 {
    space
        .unusable
        .get(at)
        .map_or(0.0, |unusable| unusable.share)
}
