//! What the program told about itself: pools, epochs, snapshots, what was passed over.

use std::io;

use super::findings::called;
use super::writer::Page;
use crate::model::{Annotations, Pool, Report};
use crate::units::{bytes, counted, device, duration};

/// All of it; nothing when there is nothing.
pub fn write(report: &Report, page: &mut Page) -> io::Result<()> {
    let told = &report.annotations;
    let is_many = report.processes.len() > 1;
    pools(told, is_many, page)?;
    page.turn_to(report.processes.first().map_or(0, |process| process.pid));
    epochs(told, is_many, page)?;
    snapshots(told, is_many, page)?;
    let ignored = &told.ignored;
    if (ignored.blocks, ignored.findings) != (0, 0) {
        page.title(&format!(
            "Ignored, as the program asked: {} in {} never released, {}",
            bytes(ignored.bytes),
            counted(ignored.blocks, "block"),
            counted(ignored.findings, "finding")
        ))?;
    }
    Ok(())
}

fn pools(told: &Annotations, is_many: bool, page: &mut Page) -> io::Result<()> {
    let pools: Vec<&Pool> = told.pools.iter().filter(|pool| pool.is_told()).collect();
    if pools.is_empty() {
        return Ok(());
    }
    page.title("Pools that the program told of")?;
    let head = [
        "pool",
        "told by",
        "device",
        "holds",
        "given out",
        "live",
        "live bytes",
        "peak",
    ];
    let shown = page.shown(pools.len());
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
    table(&head, 3, rows.collect(), is_many, page)?;
    rest(pools.len() - shown, "pool", page)?;
    for pool in &pools[..shown] {
        page.turn_to(pool.pid);
        write_facts(pool, page)?;
    }
    Ok(())
}

/// What is worth a look: no findings, since a pool may keep what it likes.
fn write_facts(pool: &Pool, page: &mut Page) -> io::Result<()> {
    let facts = [
        (pool.overlaps, "shared bytes with another"),
        (pool.outside, "left the pool"),
        (pool.dropped, "went with the pool or its memory"),
    ];
    let facts = facts.iter().filter(|(count, _)| *count > 0);
    // A framework's pool holds what its tensors hold, to the end.
    let sites = match pool.source {
        "annotation" => &pool.sites[..page.shown(pool.sites.len())],
        _ => &[],
    };
    if facts.clone().count() + sites.len() > 0 {
        page.tell_apart(pool.process)?;
    }
    for (count, what) in facts {
        page.line(&format!(
            "  `{}`: {} {what}",
            pool.name,
            counted(*count, "sub-block")
        ))?;
    }
    for site in sites {
        page.line(&format!(
            "  `{}`: {} in {} never given back, {}:",
            pool.name,
            bytes(site.bytes),
            counted(site.blocks, "sub-block"),
            called("told by", &site.allocated)
        ))?;
        page.stack(&site.allocated)?;
    }
    Ok(())
}

fn epochs(told: &Annotations, is_many: bool, page: &mut Page) -> io::Result<()> {
    if told.epochs.is_empty() {
        return Ok(());
    }
    page.title("Epochs that the program told of")?;
    let shown = page.shown(told.epochs.len());
    let rows = told.epochs[..shown].iter().map(|epoch| {
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
    table(&head, 2, rows.collect(), is_many, page)?;
    rest(told.epochs.len() - shown, "epoch", page)?;
    if told.epochs_left_out > 0 {
        let more = counted(told.epochs_left_out, "epoch");
        page.line(&format!("  {more} more were not kept"))?;
    }
    Ok(())
}

fn snapshots(told: &Annotations, is_many: bool, page: &mut Page) -> io::Result<()> {
    if told.snapshots.is_empty() {
        return Ok(());
    }
    page.title("Snapshots")?;
    let shown = page.shown(told.snapshots.len());
    let rows = told.snapshots[..shown].iter().map(|snapshot| {
        let row = vec![
            snapshot.name.clone(),
            duration(snapshot.ns),
            snapshot.blocks.to_string(),
            bytes(snapshot.bytes),
        ];
        (snapshot.process, row)
    });
    let head = ["snapshot", "taken", "live blocks", "live bytes"];
    table(&head, 1, rows.collect(), is_many, page)?;
    rest(told.snapshots.len() - shown, "snapshot", page)
}

/// Rows of processes, which are named where there are several.
fn table(
    head: &[&str],
    words: usize,
    rows: Vec<(usize, Vec<String>)>,
    is_many: bool,
    page: &mut Page,
) -> io::Result<()> {
    if !is_many {
        return page.table(head, words, rows.into_iter().map(|(_, row)| row).collect());
    }
    let named = rows.into_iter().map(|(process, row)| {
        let name = std::iter::once(page.name(process).to_owned());
        name.chain(row).collect()
    });
    page.table(&[&["process"], head].concat(), words + 1, named.collect())
}

fn rest(more: usize, what: &str, page: &mut Page) -> io::Result<()> {
    match more {
        0 => Ok(()),
        more => page.line(&format!(
            "  {} more: `--limit 0` shows all",
            counted(more as u64, what)
        )),
    }
}
