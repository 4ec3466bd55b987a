//! The rest of the report as small tables: memory use, fragmentation, refused calls, quality of the evidence.

use maud::{Markup, Render, html};

use super::cells::{NEWLINE, class, named, row, size, table, table_by_process};
use super::escape::Text;
use super::messages::message;
use super::ranks::{outliers, outliers_first};
use crate::Report;
use crate::model::{LeakScan, Process};
use crate::units::{duration, percent};

/// The numbers at the top of the page.
pub fn cards(report: &Report) -> Markup {
    let summary = &report.summary;
    let card = |class: &str, value: Markup, key: &str, more: Markup| {
        html! {
            div class={ "card " (class) } { b { (value) } (message(key)) small { (more) } }
            (NEWLINE)
        }
    };
    let count = |name: &str, count: u64, key: &str| {
        let class = if count > 0 { name } else { "" };
        card(class, count.render(), key, html! {})
    };
    let leaked = if summary.leaked_bytes > 0 {
        "error"
    } else {
        ""
    };
    let about = if report.own.block_sample > 0 { "~" } else { "" };
    let sum = |bytes: u64| html! { (about) (size(bytes)) };
    let blocks = html! { (about) (summary.leaked_blocks) " " (message("blocks")) };
    let devices = report.metrics.devices.iter();
    let peak = devices.max_by_key(|used| used.peak_bytes);
    let failures = report.metrics.failures.iter();
    let refused: u64 = failures.map(|failure| failure.count).sum();
    let events: u64 = report.processes.iter().map(|process| process.events).sum();
    let processes = report.processes.iter();
    let longest = processes.map(|process| process.duration_ns).max();
    html! {
        (count("error", summary.errors, "errors"))
        (count("warning", summary.warnings.unwrap_or(0), "warnings"))
        (count("note", summary.notes.unwrap_or(0), "notes"))
        (card(leaked, sum(summary.leaked_bytes), "leaked", blocks))
        @if let Some(peak) = peak {
            (card("", sum(peak.peak_bytes), "peak", html! { (message("device")) " " (peak.device) }))
        }
        @if refused > 0 { (card("warning", refused.render(), "refused-calls", html! {})) }
        (card("", duration(longest.unwrap_or(0)).render(), "observed", html! { (events) " " (message("events")) }))
    }
}

/// What scans found out about leaked blocks, and how far they got.
fn scans(report: &Report, names: &[String]) -> Markup {
    let leaks = &report.leaks;
    let classes = leaks
        .classes
        .iter()
        .map(|sum| row![class(sum.class), sum.blocks, size(sum.bytes)]);
    let classes = table("classes", &["class", "blocks", "bytes"], classes.collect());
    let scans = leaks.scans.iter().map(|scan| {
        let outcome = match scan.outcome {
            "whole" => message("scan-whole"),
            "failed" => message("scan-failed"),
            _ => message("scan-cut"),
        };
        row![
            named(names, scan.process, scan.pid),
            outcome,
            size(scan.bytes),
            duration(scan.ns),
            scan.threads,
            gaps(scan),
        ]
    });
    let head = [
        "process",
        "outcome",
        "read",
        "duration",
        "threads",
        "scan-gaps",
    ];
    html! { (classes) (table("scans", &head, scans.collect())) }
}

/// What a scan could not look into: threads that went on, and blocks that are found only in memory of an allocator.
fn gaps(scan: &LeakScan) -> Markup {
    html! {
        @for (at, gap) in scan.gaps.iter().enumerate() {
            @if at > 0 { ", " }
            @if gap.what == "threads" { (message("gap-threads")) } @else { (gap.what) }
            " " (gap.count)
        }
    }
}

/// Tables that have rows: leak classes and scans, memory, fragmentation, refused calls, pools.
pub fn sections(report: &Report) -> Markup {
    let metrics = &report.metrics;
    let names = Process::names(&report.processes);
    let mut families: Vec<_> = metrics.families.iter().collect();
    families.sort_by_key(|used| outliers_first(report, used.process));
    let families = families.into_iter().map(|used| {
        row![
            named(&names, used.process, used.pid),
            Text(used.family),
            size(used.peak_bytes),
            duration(used.peak_ns),
            size(used.live_bytes),
            size(used.allocated_bytes),
            used.allocations,
            used.releases,
        ]
    });
    let head = [
        "process",
        "family",
        "peak",
        "when",
        "live-at-end",
        "allocated",
        "allocations",
        "releases",
    ];
    let odd = outliers(report, metrics.families.iter().map(|used| used.process));
    let memory = table_by_process("memory", &head, families.collect(), odd);

    let mut classes: Vec<_> = report.fragmentation.classes.iter().collect();
    classes.sort_by_key(|class| outliers_first(report, class.process));
    let classes = classes.into_iter().map(|class| {
        let at = |space: &crate::model::Space| {
            [
                percent(space.index).render(),
                space.holes.render(),
                size(space.largest_hole_bytes),
                size(space.slack_bytes),
            ]
        };
        let [index, holes, largest, slack] = at(&class.peak);
        let [last_index, ..] = at(&class.end);
        row![
            named(&names, class.process, class.pid),
            class.device,
            class.page,
            index,
            last_index,
            holes,
            largest,
            slack,
        ]
    });
    let head = [
        "process",
        "device",
        "page",
        "index-at-peak",
        "index-at-end",
        "holes",
        "largest-hole",
        "slack",
    ];
    let all = report.fragmentation.classes.iter();
    let odd = outliers(report, all.map(|class| class.process));
    let fragmentation = table_by_process("fragmentation", &head, classes.collect(), odd);

    let failures = metrics.failures.iter().map(|failure| {
        let name = failure.name.as_deref().unwrap_or("");
        row![
            html! { code { (Text(&failure.function)) } },
            html! { (failure.status) " " (Text(name)) },
            failure.count,
            size(failure.bytes),
        ]
    });
    let head = ["call", "answer", "times", "bytes-asked"];
    let failures = table("refused-calls", &head, failures.collect());

    let pools = report.annotations.pools.iter();
    let pools = pools.filter(|pool| pool.is_reported()).map(|pool| {
        row![
            named(&names, pool.process, pool.pid),
            Text(&pool.name),
            pool.device,
            size(pool.bytes),
            size(pool.peak_bytes),
            size(pool.live_bytes),
            pool.live_blocks,
        ]
    });
    let head = [
        "process",
        "name",
        "device",
        "bytes",
        "peak",
        "live-at-end",
        "blocks",
    ];
    let pools = table("pools", &head, pools.collect());
    html! { (scans(report, &names)) (memory) (fragmentation) (failures) (pools) }
}

/// The table of processes.
pub fn processes(report: &Report) -> Markup {
    let names = Process::names(&report.processes);
    let mut processes: Vec<_> = report.processes.iter().zip(&names).enumerate().collect();
    processes.sort_by_key(|&(at, _)| outliers_first(report, at));
    let processes = processes.into_iter().map(|(_, (process, name))| {
        row![
            Text(name),
            Text(&process.arguments),
            Text(&process.host),
            Text(&process.soc),
            duration(process.duration_ns),
            process.calls,
        ]
    });
    let head = ["process", "program", "host", "soc", "duration", "calls"];
    let odd = outliers(report, 0..names.len());
    table_by_process("processes", &head, processes.collect(), odd)
}

/// Sentences for the banner about missing evidence.
pub fn doubts(report: &Report) -> Vec<Markup> {
    let own = &report.own;
    let mut doubts = Vec::new();
    let mut doubt = |count: u64, key: &str| {
        if count > 0 {
            doubts.push(html! { (count) " " (message(key)) });
        }
    };
    doubt(own.dropped_events, "dropped-events");
    doubt(own.stackless_calls, "stackless-calls");
    doubt(own.stack_sample, "sampled-stacks");
    doubt(own.block_sample, "sampled-blocks");
    doubt(own.damage.len() as u64, "damaged-parts");
    let killed = report
        .processes
        .iter()
        .filter(|process| !process.is_complete && process.went_on.is_empty())
        .filter(|process| process.end.death.is_none());
    doubt(killed.count() as u64, "killed-processes");
    doubts
}
