//! Allocation sites: what rounding and pages cost, how long blocks live, how long the runtime takes.

use std::cmp::Reverse;
use std::io;

use super::writer::TextWriter;
use crate::model::{AllocationSite, Latency, Report};
use crate::units::{bytes, duration, percent};

/// Maximum rows of a table.
const MAX_ROWS: usize = 10;
/// Minimum loss for a row.
const MIN_SLACK: u64 = 1 << 20;
/// Minimum number of allocations for a row.
const MIN_ALLOCATIONS: u64 = 10;

/// Sites that lose most to rounding and pages.
pub fn write_slack(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let sites = report.allocations.sites.iter();
    let mut rows: Vec<_> = sites
        .filter_map(|site| Some((site, site.slack?)))
        .filter(|(_, slack)| slack.lost() >= MIN_SLACK)
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by_key(|(_, slack)| Reverse(slack.lost()));
    writer.title("What rounding and pages cost, by place")?;
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    let rows = rows.into_iter().take(MAX_ROWS).map(|(site, slack)| {
        vec![
            writer.name(site.process).to_owned(),
            site.allocated.caller_label(),
            slack.blocks.to_string(),
            bytes(slack.asked_bytes),
            bytes(slack.rounded_bytes),
            bytes(slack.page_bytes),
            percent(slack.lost() as f64 / slack.page_bytes.max(1) as f64),
            bytes(slack.page_bytes.saturating_sub(slack.normal_bytes)),
            bytes(slack.page_bytes.saturating_sub(slack.pooled_bytes)),
        ]
    });
    let head = [
        "process",
        "place",
        "blocks",
        "asked for",
        "rounded",
        "in pages",
        "lost",
        "normal pages save",
        "a pool saves",
    ];
    writer.table(&head, 2, rows.collect())?;
    rest(left_out, writer)
}

/// Sites that allocate often: lifetimes and latencies.
pub fn write_churn(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let sites = report.allocations.sites.iter();
    let mut rows: Vec<&AllocationSite> = sites
        .filter(|site| site.allocations >= MIN_ALLOCATIONS)
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by_key(|site| Reverse(site.allocations));
    writer.title("Churn, by place (an allocation below 10 µs is fast, above 50 µs slow)")?;
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    let rows = rows.into_iter().take(MAX_ROWS).map(|site| {
        let mut row = vec![
            writer.name(site.process).to_owned(),
            site.allocated.caller_label(),
            writer.count(site.allocations),
            site.repeated.to_string(),
            writer.sums(&bytes(site.allocated_bytes)),
        ];
        row.extend(match &site.lifetime {
            None => ["-".to_owned(), "-".to_owned()],
            Some(lived) => [duration(lived.p50_ns), duration(lived.longest_ns)],
        });
        row.extend(match &site.latency {
            None => std::array::from_fn(|_| "?".to_owned()),
            Some(latency) => latencies(latency),
        });
        row
    });
    let head = [
        "process",
        "place",
        "allocations",
        "again at once",
        "bytes",
        "half lived",
        "longest",
        "fast",
        "10-50 µs",
        "slow",
        "10 x p50",
        "p50",
        "p99",
    ];
    writer.table(&head, 2, rows.collect())?;
    rest(left_out, writer)
}

fn latencies(latency: &Latency) -> [String; 6] {
    let time = |ns: Option<u64>| ns.map_or_else(|| "<10 µs".to_owned(), duration);
    [
        latency.fast.to_string(),
        latency.usual.to_string(),
        latency.slow.to_string(),
        latency.stalled.to_string(),
        time(latency.p50_ns),
        time(latency.p99_ns),
    ]
}

fn rest(left_out: usize, writer: &mut TextWriter) -> io::Result<()> {
    match left_out {
        0 => Ok(()),
        more => writer.line(&format!("  {more} more in `--json`")),
    }
}
