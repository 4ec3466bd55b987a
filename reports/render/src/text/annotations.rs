//! What the program reported about itself: pools, epochs, snapshots, ignored memory.

use std::io;

use super::findings::call_label;
use super::timeline::bar;
use super::writer::TextWriter;
use crate::model::{Annotations, CategoryUse, Pool, Report};
use crate::units::{bytes, counted, device, duration};

/// All annotations; nothing if there are none.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let annotations = &report.annotations;
    let is_many = report.processes.len() > 1;
    pools(annotations, is_many, writer)?;
    writer.turn_to(report.processes.first().map_or(0, |process| process.pid));
    epochs(annotations, is_many, writer)?;
    snapshots(annotations, is_many, writer)?;
    categories(annotations, is_many, writer)?;
    let ignored = &annotations.ignored;
    if (ignored.blocks, ignored.findings) != (0, 0) {
        writer.title(&format!(
            "Ignored, as the program asked: {} in {} never released, {}",
            bytes(ignored.bytes),
            counted(ignored.blocks, "block"),
            counted(ignored.findings, "finding")
        ))?;
    }
    Ok(())
}

fn pools(annotations: &Annotations, is_many: bool, writer: &mut TextWriter) -> io::Result<()> {
    let pools: Vec<&Pool> = annotations
        .pools
        .iter()
        .filter(|pool| pool.is_reported())
        .collect();
    if pools.is_empty() {
        return Ok(());
    }
    writer.title("Pools reported by the program")?;
    let head = [
        "pool",
        "reported by",
        "device",
        "holds",
        "allocations",
        "live",
        "live bytes",
        "peak",
    ];
    let shown = writer.shown(pools.len());
    let rows = pools[..shown].iter().map(|pool| {
        let holds = match pool.bytes {
            0 => "-".to_owned(),
            held => bytes(held),
        };
        let row = vec![
            pool.name.clone(),
            pool.source.to_owned(),
            device(pool.device),
            holds,
            pool.allocations.to_string(),
            pool.live_blocks.to_string(),
            bytes(pool.live_bytes),
            bytes(pool.peak_bytes),
        ];
        (pool.process, row)
    });
    table(&head, 3, rows.collect(), is_many, writer)?;
    rest(pools.len() - shown, "pool", writer)?;
    for pool in &pools[..shown] {
        writer.turn_to(pool.pid);
        write_facts(pool, writer)?;
    }
    Ok(())
}

/// Notable facts. They are not findings, since a pool may keep what it likes.
fn write_facts(pool: &Pool, writer: &mut TextWriter) -> io::Result<()> {
    let facts = [
        (pool.overlaps, "overlapped another"),
        (pool.outside, "exceeded the pool"),
        (pool.dropped, "ended with the pool or its memory"),
    ];
    let facts = facts.iter().filter(|(count, _)| *count > 0);
    // A framework's pool holds its tensors to the end.
    let sites = match pool.source {
        "annotation" => &pool.sites[..writer.shown(pool.sites.len())],
        _ => &[],
    };
    if facts.clone().count() + sites.len() > 0 {
        writer.identify(pool.process)?;
    }
    for (count, what) in facts {
        writer.line(&format!(
            "  `{}`: {} {what}",
            pool.name,
            counted(*count, "sub-block")
        ))?;
    }
    for site in sites {
        writer.line(&format!(
            "  `{}`: {} in {} never released, {}:",
            pool.name,
            bytes(site.bytes),
            counted(site.blocks, "sub-block"),
            call_label("reported by", &site.allocated)
        ))?;
        writer.stack(&site.allocated)?;
    }
    Ok(())
}

fn epochs(annotations: &Annotations, is_many: bool, writer: &mut TextWriter) -> io::Result<()> {
    if annotations.epochs.is_empty() {
        return Ok(());
    }
    writer.title("Epochs reported by the program")?;
    let shown = writer.shown(annotations.epochs.len());
    let rows = annotations.epochs[..shown].iter().map(|epoch| {
        let name = match epoch.domain.as_str() {
            "" => epoch.name.clone(),
            domain => format!("{domain}: {}", epoch.name),
        };
        let lasted = match (epoch.kind, epoch.end_ns) {
            (_, Some(end)) => duration(end.saturating_sub(epoch.begin_ns)),
            ("mark", None) => "-".to_owned(),
            (_, None) => "to the end".to_owned(),
        };
        let row = vec![
            name,
            epoch.kind.to_owned(),
            duration(epoch.begin_ns),
            lasted,
            bytes(epoch.live_bytes),
        ];
        (epoch.process, row)
    });
    let head = ["epoch", "kind", "begins", "lasts", "live bytes then"];
    table(&head, 2, rows.collect(), is_many, writer)?;
    rest(annotations.epochs.len() - shown, "epoch", writer)?;
    if annotations.epochs_left_out > 0 {
        let more = counted(annotations.epochs_left_out, "epoch");
        writer.line(&format!("  {more} more were not kept"))?;
    }
    Ok(())
}

fn snapshots(annotations: &Annotations, is_many: bool, writer: &mut TextWriter) -> io::Result<()> {
    if annotations.snapshots.is_empty() {
        return Ok(());
    }
    writer.title("Snapshots")?;
    let shown = writer.shown(annotations.snapshots.len());
    let rows = annotations.snapshots[..shown].iter().map(|snapshot| {
        let row = vec![
            snapshot.name.clone(),
            duration(snapshot.ns),
            snapshot.blocks.to_string(),
            bytes(snapshot.bytes),
        ];
        (snapshot.process, row)
    });
    let head = ["snapshot", "taken", "live blocks", "live bytes"];
    table(&head, 1, rows.collect(), is_many, writer)?;
    rest(annotations.snapshots.len() - shown, "snapshot", writer)
}

fn categories(annotations: &Annotations, is_many: bool, writer: &mut TextWriter) -> io::Result<()> {
    if annotations.categories.is_empty() {
        return Ok(());
    }
    writer.title("Device memory by category")?;
    let until = annotations.categories.iter().flat_map(|one| &one.over_time);
    let until = until.map(|point| point.ns).max().unwrap_or(0);
    let rows = annotations.categories.iter().map(|one| {
        let [idle, oversized] = [one.idle_bytes, one.oversized_bytes]
            .map(|amount| amount.map_or_else(|| "-".to_owned(), bytes));
        let row = vec![
            one.name.to_owned(),
            over_time(one, until),
            bytes(one.live_bytes),
            bytes(one.peak_bytes),
            duration(one.peak_ns),
            one.allocations.to_string(),
            idle,
            oversized,
        ];
        (one.process, row)
    });
    let head = [
        "category",
        "over time",
        "live bytes",
        "peak",
        "at",
        "allocations",
        "idle in a step",
        "oversized",
    ];
    table(&head, 2, rows.collect(), is_many, writer)
}

/// Live bytes from the first point to `until`, against the category's peak.
fn over_time(one: &CategoryUse, until: u64) -> String {
    const COLUMNS: u64 = 16;
    let column =
        |ns: u64| (u128::from(ns) * u128::from(COLUMNS - 1) / u128::from(until.max(1))) as usize;
    let mut highest = [0_u64; COLUMNS as usize];
    let ends = one.over_time.iter().skip(1).map(|point| point.ns);
    for (point, end) in one.over_time.iter().zip(ends.chain([until])) {
        for bytes in &mut highest[column(point.ns)..=column(end)] {
            *bytes = (*bytes).max(point.bytes);
        }
    }
    highest
        .map(|bytes| bar(bytes, one.peak_bytes))
        .iter()
        .collect()
}

/// Rows that name their process if there are several.
fn table(
    head: &[&str],
    words: usize,
    rows: Vec<(usize, Vec<String>)>,
    is_many: bool,
    writer: &mut TextWriter,
) -> io::Result<()> {
    if !is_many {
        return writer.table(head, words, rows.into_iter().map(|(_, row)| row).collect());
    }
    let named = rows.into_iter().map(|(process, row)| {
        let name = std::iter::once(writer.name(process).to_owned());
        name.chain(row).collect()
    });
    writer.table(&[&["process"], head].concat(), words + 1, named.collect())
}

fn rest(more: usize, what: &str, writer: &mut TextWriter) -> io::Result<()> {
    match more {
        0 => Ok(()),
        more => writer.line(&format!(
            "  {} more: `--limit 0` shows all",
            counted(more as u64, what)
        )),
    }
}
