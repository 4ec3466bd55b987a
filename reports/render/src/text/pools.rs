//! Pool internals, and transfers between host and devices.

use std::io;

use super::pool_attributes;
use super::writer::TextWriter;
use crate::model::{Grade, Graded, Latencies, Pool, PoolClass, Report, Reuse};
use crate::units::{bytes, counted, device, percent};

/// Maximum rows of a table.
const ROWS: usize = 10;

/// Pools: layout, hit rate, reuse, size classes; then the latency of the runtime's own allocations.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let (declared, own): (Vec<&Pool>, Vec<&Pool>) =
        (report.annotations.pools.iter()).partition(|pool| pool.is_reported());
    writer.title(match declared.is_empty() {
        true => "Inside pools: no pool was reported (`aclsan.h`, mstx)",
        false => "Inside pools (exact, as reported by the program)",
    })?;
    write_pools(&declared, writer)?;
    if !own.is_empty() {
        writer.title("Inside the runtime's own pools (what they have allocated since they were last trimmed; more is not visible)")?;
        write_pools(&own, writer)?;
    }
    write_latencies(report, writer)
}

fn write_pools(pools: &[&Pool], writer: &mut TextWriter) -> io::Result<()> {
    let shown = writer.shown(pools.len());
    for pool in &pools[..shown] {
        writer.turn_to(pool.pid);
        writer.identify(pool.process)?;
        write_pool(pool, writer)?;
    }
    if shown < pools.len() {
        let more = counted((pools.len() - shown) as u64, "pool");
        writer.line(&format!("  {more} more: `--limit 0` shows all"))?;
    }
    Ok(())
}

fn write_pool(pool: &Pool, writer: &mut TextWriter) -> io::Result<()> {
    let inside = &pool.inside;
    writer.line(&format!(
        "  `{}`, reported by {}, {}",
        pool.name,
        match pool.is_reported() {
            true => pool.source,
            false => "`aclrtMemPoolMallocAsync`",
        },
        device(pool.device)
    ))?;
    let rows = [("at its peak", &inside.peak), ("at the end", &inside.end)];
    let rows = rows.map(|(when, space)| {
        vec![
            when.to_owned(),
            bytes(space.held_bytes),
            space.live_blocks.to_string(),
            bytes(space.live_bytes),
            bytes(space.free_bytes),
            space.holes.to_string(),
            bytes(space.largest_hole_bytes),
            percent(space.external),
            percent(space.internal),
        ]
    });
    let head = [
        "",
        "holds",
        "live",
        "asked for",
        "free",
        "holes",
        "largest",
        "external",
        "internal",
    ];
    writer.table(&head, 1, rows.to_vec())?;
    if pool.overlaps > 0 {
        let what = counted(pool.overlaps, "sub-block");
        writer.line(&format!(
            "  {what} overlapped another: free bytes are at least these"
        ))?;
    }
    writer.line(&format!(
        "  {}, {} served without the runtime: hit rate {}; {}",
        counted(inside.requests, "request"),
        inside.hits,
        graded(
            inside.hit_rate,
            Graded::HitRate,
            inside.hit_grade,
            inside.requests
        ),
        reused(inside.reuse)
    ))?;
    if let Some(attributes) = &pool.attributes {
        pool_attributes::write(attributes, writer)?;
    }
    let classes = inside
        .classes
        .iter()
        .take(writer.shown(inside.classes.len()));
    let head = [
        "up to",
        "requests",
        "hits",
        "hit rate",
        "live",
        "live bytes",
        "padding",
        "reused",
        "half after",
        "9 of 10 after",
    ];
    writer.table(&head, 0, classes.map(class).collect())
}

fn class(class: &PoolClass) -> Vec<String> {
    let padding = class.taken_bytes.saturating_sub(class.asked_bytes) as f64;
    let mut row = vec![
        bytes(class.up_to_bytes),
        class.requests.to_string(),
        class.hits.to_string(),
        percent(class.hit_rate),
        class.live_blocks.to_string(),
        bytes(class.live_bytes),
        percent(padding / class.taken_bytes.max(1) as f64),
    ];
    row.extend(match class.reuse {
        None => ["0".to_owned(), "-".to_owned(), "-".to_owned()],
        Some(reuse) => [reuse.count, reuse.p50, reuse.p90].map(|count| count.to_string()),
    });
    row
}

fn reused(reuse: Option<Reuse>) -> String {
    match reuse {
        None => "no memory was used again".to_owned(),
        Some(reuse) => format!(
            "memory used again {}, half after {}, nine of ten after {} at most",
            match reuse.count {
                1 => "once".to_owned(),
                count => format!("{count} times"),
            },
            counted(reuse.p50, "request"),
            counted(reuse.p90, "request")
        ),
    }
}

fn write_latencies(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let Latencies {
        fast,
        usual,
        slow,
        grade,
    } = match report.allocations.latencies {
        Some(latencies) => latencies,
        None => return Ok(()),
    };
    let all = fast + usual + slow;
    let counts = format!("{fast} below 10 µs, {usual} to 50 µs, {slow} above");
    let judged = with_grade(counts, Graded::Latency, grade, all);
    writer.line(&format!("  the runtime's own allocations: {judged}"))
}

/// Bytes between host and devices, and the sites where page-locked memory would pay.
pub fn write_transfers(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let transfers = &report.transfers;
    if transfers.copies == 0 {
        return Ok(());
    }
    writer.title(&format!(
        "Between host and devices: {} in {}, zero-copy {}",
        bytes(transfers.bytes),
        match transfers.copies {
            1 => "1 copy".to_owned(),
            copies => format!("{copies} copies"),
        },
        graded(
            transfers.zero_copy,
            Graded::ZeroCopy,
            transfers.grade,
            transfers.bytes
        )
    ))?;
    writer.line(&format!(
        "  {} of pinned and {} of registered memory; the rest is copied twice",
        bytes(transfers.pinned_bytes),
        bytes(transfers.registered_bytes)
    ))?;
    let paying: Vec<_> = transfers.sites.iter().filter(|site| site.pays).collect();
    if paying.is_empty() {
        return Ok(());
    }
    writer.line("  page-locked memory (`aclrtMallocHost`, `aclrtHostRegister`) would pay here:")?;
    let rows = paying.iter().take(ROWS).map(|site| {
        vec![
            writer.name(site.process).to_owned(),
            site.transferred.caller_label(),
            if site.is_async { "waits" } else { "-" }.to_owned(),
            site.copies.to_string(),
            site.again.to_string(),
            bytes(site.bytes),
        ]
    });
    let head = [
        "process",
        "place",
        "queued call",
        "copies",
        "same memory",
        "bytes",
    ];
    writer.table(&head, 3, rows.collect())?;
    match paying.len().saturating_sub(ROWS) {
        0 => Ok(()),
        more => writer.line(&format!("  {more} more: the JSON report has them")),
    }
}

/// A share with its grade, unless there are too few of `count` to grade.
fn graded(share: f64, what: Graded, grade: Grade, count: u64) -> String {
    with_grade(percent(share), what, grade, count)
}

fn with_grade(figure: String, what: Graded, grade: Grade, count: u64) -> String {
    match what.is_too_small(count) {
        true => figure,
        false => format!("{figure} ({})", what.words(grade)),
    }
}
