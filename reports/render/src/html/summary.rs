//! The rest of the report as small tables: what was used, how it was cut up, what was refused, how good the evidence is.

use super::cells::{class, named, size, table};
use super::escape::{escape, shortened};
use super::messages::message;
use crate::Report;
use crate::model::Process;
use crate::units::{duration, percent};

/// The numbers that a person looks at first.
pub fn cards(report: &Report) -> String {
    let summary = &report.summary;
    let card = |class: &str, value: String, key: &str, more: String| {
        format!(
            "<div class=\"card {class}\"><b>{value}</b>{}<small>{more}</small></div>\n",
            message(key)
        )
    };
    let count = |name: &str, count: u64, key: &str| {
        let class = if count > 0 { name } else { "" };
        card(class, count.to_string(), key, String::new())
    };
    let mut html = count("error", summary.errors, "errors");
    html.push_str(&count("warning", summary.warnings.unwrap_or(0), "warnings"));
    html.push_str(&count("note", summary.notes.unwrap_or(0), "notes"));
    let class = if summary.leaked_bytes > 0 {
        "error"
    } else {
        ""
    };
    let blocks = format!("{} {}", summary.leaked_blocks, message("blocks"));
    html.push_str(&card(class, size(summary.leaked_bytes), "leaked", blocks));
    let peak = report
        .metrics
        .devices
        .iter()
        .max_by_key(|used| used.peak_bytes);
    if let Some(peak) = peak {
        let more = format!("{} {}", message("device"), peak.device);
        html.push_str(&card("", size(peak.peak_bytes), "peak", more));
    }
    let refused: u64 = report
        .metrics
        .failures
        .iter()
        .map(|failure| failure.count)
        .sum();
    if refused > 0 {
        html.push_str(&card(
            "warning",
            refused.to_string(),
            "refused-calls",
            String::new(),
        ));
    }
    let events: u64 = report.processes.iter().map(|process| process.events).sum();
    let longest = report
        .processes
        .iter()
        .map(|process| process.duration_ns)
        .max();
    let more = format!("{events} {}", message("events"));
    html.push_str(&card("", duration(longest.unwrap_or(0)), "observed", more));
    html
}

/// What a scan found of pointers to leaked blocks, and how far it came.
fn scans(report: &Report, names: &[String]) -> String {
    let leaks = &report.leaks;
    let classes = leaks
        .classes
        .iter()
        .map(|sum| vec![class(sum.class), sum.blocks.to_string(), size(sum.bytes)]);
    let mut html = table("classes", &["class", "blocks", "bytes"], classes.collect());
    let scans = leaks.scans.iter().map(|scan| {
        let outcome = match scan.outcome {
            "whole" => message("scan-whole"),
            "failed" => message("scan-failed"),
            _ => message("scan-cut"),
        };
        vec![
            named(names, scan.process, scan.pid),
            outcome,
            size(scan.bytes),
            duration(scan.ns),
            scan.threads.to_string(),
        ]
    });
    let head = ["process", "outcome", "read", "duration", "threads"];
    html.push_str(&table("scans", &head, scans.collect()));
    html
}

/// Leaks' classes and scans, memory, fragmentation, refused calls, pools: those that have rows.
pub fn sections(report: &Report) -> String {
    let metrics = &report.metrics;
    let names = Process::names(&report.processes);
    let families = metrics.families.iter().map(|used| {
        vec![
            named(&names, used.process, used.pid),
            escape(used.family),
            size(used.peak_bytes),
            duration(used.peak_ns),
            size(used.live_bytes),
            size(used.allocated_bytes),
            used.allocations.to_string(),
            used.releases.to_string(),
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
    let mut html = scans(report, &names);
    html.push_str(&table("memory", &head, families.collect()));

    let classes = report.fragmentation.classes.iter().map(|class| {
        let at = |space: &crate::model::Space| {
            [
                percent(space.index),
                space.holes.to_string(),
                size(space.largest_hole_bytes),
                size(space.slack_bytes),
            ]
        };
        let [index, holes, largest, slack] = at(&class.peak);
        let [last_index, ..] = at(&class.end);
        let who = [
            named(&names, class.process, class.pid),
            class.device.to_string(),
            class.page.to_owned(),
        ];
        who.into_iter()
            .chain([index, last_index, holes, largest, slack])
            .collect()
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
    html.push_str(&table("fragmentation", &head, classes.collect()));

    let failures = metrics.failures.iter().map(|failure| {
        let name = failure.name.as_deref().unwrap_or("");
        vec![
            format!("<code>{}</code>", escape(&shortened(&failure.function))),
            format!("{} {}", failure.status, escape(&shortened(name))),
            failure.count.to_string(),
            size(failure.bytes),
        ]
    });
    html.push_str(&table(
        "refused-calls",
        &["call", "answer", "times", "bytes-asked"],
        failures.collect(),
    ));

    let pools = report.annotations.pools.iter();
    let pools = pools.filter(|pool| pool.is_told()).map(|pool| {
        vec![
            named(&names, pool.process, pool.pid),
            escape(&shortened(&pool.name)),
            pool.device.to_string(),
            size(pool.bytes),
            size(pool.peak_bytes),
            size(pool.live_bytes),
            pool.live_blocks.to_string(),
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
    html.push_str(&table("pools", &head, pools.collect()));
    html
}

/// What each process was.
pub fn processes(report: &Report) -> String {
    let names = Process::names(&report.processes);
    let processes = report.processes.iter().zip(&names).map(|(process, name)| {
        vec![
            escape(&shortened(name)),
            escape(&shortened(&process.arguments)),
            escape(&shortened(&process.host)),
            escape(&shortened(&process.soc)),
            duration(process.duration_ns),
            process.calls.to_string(),
        ]
    });
    let head = ["process", "program", "host", "soc", "duration", "calls"];
    table("processes", &head, processes.collect())
}

/// Sentences about what the evidence lacks, for the banner.
pub fn doubts(report: &Report) -> Vec<String> {
    let own = &report.own;
    let mut doubts = Vec::new();
    let mut doubt = |count: u64, key: &str| {
        if count > 0 {
            doubts.push(format!("{count} {}", message(key)));
        }
    };
    doubt(own.dropped_events, "dropped-events");
    doubt(own.stackless_calls, "stackless-calls");
    doubt(own.stack_sample, "sampled-stacks");
    doubt(own.damage.len() as u64, "damaged-parts");
    let killed = report
        .processes
        .iter()
        .filter(|process| !process.is_complete && process.went_on.is_empty());
    doubt(killed.count() as u64, "killed-processes");
    doubts
}
