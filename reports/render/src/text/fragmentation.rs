//! The layout of device memory.

use std::io;

use super::writer::TextWriter;
use crate::model::{Cause, Grade, Graded, Pinner, Pool, Report, Space, SpaceClass};
use crate::units::{bytes, counted, device, duration, percent};

/// Maximum number of sites listed one by one.
const STALLS: usize = 5;

/// A table of sizes and one of holes, at the peak and at the end.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let classes = &report.fragmentation.classes;
    if classes.is_empty() {
        return Ok(());
    }
    writer.title("Device memory by page size (an estimate from addresses: physical pages, caches and other processes are not seen)")?;
    let moments = classes
        .iter()
        .flat_map(|class| [(class, "peak", &class.peak), (class, "end", &class.end)]);
    let rows = moments.clone().map(|(class, when, space)| {
        let mut row = heading(class, when, writer);
        row.extend([
            space.blocks.to_string(),
            bytes(space.asked_bytes),
            bytes(space.rounded_bytes),
            bytes(space.page_bytes),
            slack(space),
        ]);
        row
    });
    let head = [
        "process",
        "device",
        "pages",
        "when",
        "blocks",
        "asked for",
        "rounded",
        "in pages",
        "slack",
    ];
    writer.table(&head, 4, rows.collect())?;
    writer.gap()?;
    let rows = moments.map(|(class, when, space)| {
        let mut row = heading(class, when, writer);
        row.extend([
            bytes(space.span_bytes),
            space.holes.to_string(),
            space.usual_holes.to_string(),
            bytes(space.free_bytes),
            bytes(space.largest_hole_bytes),
            percent(space.index),
        ]);
        row.extend(
            space
                .unusable
                .iter()
                .map(|unusable| percent(unusable.share)),
        );
        let typical = match when {
            "peak" => class.typical,
            _ => class.typical_at_end,
        };
        row.push(format!(
            "{}, {}",
            percent(typical.share),
            bytes(typical.request_bytes)
        ));
        row
    });
    let head = [
        "process",
        "device",
        "pages",
        "when",
        "span",
        "holes",
        "usual",
        "free in holes",
        "largest hole",
        "1-L/F",
        "unusable for 2M",
        "64M",
        "512M",
        "p95 request",
    ];
    writer.table(&head, 4, rows.collect())?;
    for class in classes {
        pinners(class, writer)?;
    }
    signals(report, writer)?;
    fits(report, writer)
}

/// Facts that are proven, estimated, or exact. They are never combined into one number.
fn signals(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let refusals = |is_proof: bool| {
        let refused = report.autopsies.iter();
        let such = refused.filter(|one| !is_proof || one.cause == Cause::Fragmentation);
        such.map(|one| one.count).sum::<u64>()
    };
    let places = report.allocations.sites.iter();
    let stalled = places.filter_map(|site| Some(site.latency?.stalled)).sum();
    let indices = report.fragmentation.classes.iter();
    let worst = indices.map(|class| class.peak.index.max(class.end.index));
    let worst = worst.fold(0.0, f64::max);
    writer.turn_to(report.processes.first().map_or(0, |process| process.pid));
    writer.gap()?;
    writer.line(&format!(
        "  proof: {} of {} came while enough was free; {} took ten times as long as the median of their place (the runtime may have given back its caches first)",
        refusals(true),
        counted(refusals(false), "refusal"),
        counted(stalled, "allocation"),
    ))?;
    stalls(report, writer)?;
    let indices = report.fragmentation.classes.iter();
    let holes = indices.map(|class| class.peak.holes.max(class.end.holes));
    let judged = grade(worst, holes.max().unwrap_or(0));
    writer.line(&format!(
        "  estimate: 1-L/F is {} at most{judged}; half as many holes as blocks are usual (the 50-percent rule)",
        percent(worst),
    ))?;
    let pools = report.annotations.pools.iter();
    let pools: Vec<_> = pools.filter(|pool| pool.is_reported()).collect();
    writer.line(&match &pools[..] {
        [] => "  exact: no pool was reported (`aclsan.h`, mstx)".to_owned(),
        pools => {
            let external = |pool: &&Pool| pool.inside.peak.external.max(pool.inside.end.external);
            let external = pools.iter().map(external).fold(0.0, f64::max);
            let spaces = pools.iter().map(|pool| pool.inside.peak.holes.max(pool.inside.end.holes));
            let judged = grade(external, spaces.max().unwrap_or(0));
            format!(
                "  exact: inside {}, external fragmentation is {} at most{judged}; `aclsan frag --pool` shows more",
                counted(pools.iter().map(|pool| pool.pools).sum(), "pool"),
                percent(external),
            )
        }
    })
}

/// The grade of a share of free memory that is in pieces, unless there are too few of them.
fn grade(share: f64, holes: u64) -> String {
    let what = Graded::Fragmentation;
    match what.is_too_small(holes) {
        true => String::new(),
        false => format!(" ({})", what.words(Grade::of_fragmentation(share))),
    }
}

/// Sites where one allocation took far longer than the others, slowest first.
fn stalls(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let sites = report.allocations.sites.iter();
    let mut stalls: Vec<_> = sites
        .filter_map(|site| Some((site, site.latency?)))
        .filter(|(_, latency)| latency.stalled > 0)
        .collect();
    stalls.sort_by_key(|(_, latency)| std::cmp::Reverse(latency.slowest_ns));
    let shown = writer.shown(stalls.len()).min(STALLS);
    for (site, latency) in &stalls[..shown] {
        writer.turn_to(site.pid);
        writer.identify(site.process)?;
        writer.line(&format!(
            "  {} of this place, the slowest {}, where half took {} at most; {}:",
            counted(latency.stalled, "allocation"),
            duration(latency.slowest_ns.unwrap_or(0)),
            latency.p50_ns.map_or("10 µs".to_owned(), duration),
            match latency.outgrown {
                None => "the runtime did not report whether too little was free".to_owned(),
                Some(outgrown) => format!(
                    "it got {} of pages after `aclrtGetMemInfo` had reported {} free: the runtime released caches first, or another process released memory",
                    bytes(outgrown.page_bytes),
                    bytes(outgrown.reported_free_bytes)
                ),
            }
        ))?;
        writer.stack(&site.allocated)?;
    }
    writer.turn_to(report.processes.first().map_or(0, |process| process.pid));
    Ok(())
}

/// Sites whose blocks separate holes.
fn pinners(class: &SpaceClass, writer: &mut TextWriter) -> io::Result<()> {
    if class.pinners.is_empty() {
        return Ok(());
    }
    writer.turn_to(class.pid);
    writer.gap()?;
    writer.identify(class.process)?;
    let (when, space) = match class.end.free_bytes > class.peak.free_bytes {
        true => ("at the end", &class.end),
        false => ("at the peak", &class.peak),
    };
    writer.line(&format!(
        "  pages of {} on {}, {when}: the largest hole has {}; without these blocks it would be larger",
        class.page,
        device(class.device),
        bytes(space.largest_hole_bytes)
    ))?;
    pinned(&class.pinners, writer)
}

/// One line for each of these sites.
pub fn pinned(pinners: &[Pinner], writer: &mut TextWriter) -> io::Result<()> {
    let shown = writer.shown(pinners.len());
    for pinner in &pinners[..shown] {
        writer.line(&format!(
            "  {} of this place, {} of bytes, pin {} of holes; without them one of {}:",
            counted(pinner.blocks, "block"),
            percent(pinner.share),
            bytes(pinner.hole_bytes),
            bytes(pinner.merged_bytes)
        ))?;
        writer.stack(&pinner.allocated)?;
    }
    Ok(())
}

/// When a request would have fitted into a hole.
fn fits(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    for fit in &report.fragmentation.fits {
        writer.turn_to(fit.pid);
        let all = fit.until_ns.saturating_sub(fit.from_ns);
        writer.title(&format!(
            "{} between blocks in pages of {} on {}: found for {} of {}, {} of the time",
            bytes(fit.request_bytes),
            fit.page,
            device(fit.device),
            duration(fit.fits_ns),
            duration(all),
            percent(fit.fits_ns as f64 / all.max(1) as f64)
        ))?;
        writer.identify(fit.process)?;
        let shown = writer.shown(fit.changes.len());
        for change in &fit.changes[..shown] {
            let word = if change.fits { "fits" } else { "does not fit" };
            writer.line(&format!("  from {} on: {word}", duration(change.ns)))?;
        }
        let more = (fit.changes.len() - shown) as u64 + fit.changes_left_out;
        if more > 0 {
            writer.line(&format!("  {} more", counted(more, "change")))?;
        }
    }
    Ok(())
}

fn heading(class: &SpaceClass, when: &str, writer: &TextWriter) -> Vec<String> {
    let when = match when {
        "peak" => format!("peak, {}", duration(class.peak_ns)),
        other => other.to_owned(),
    };
    let device = match class.device {
        device @ 0.. => device.to_string(),
        _ => "?".to_owned(),
    };
    let name = writer.name(class.process).to_owned();
    vec![name, device, class.page.to_owned(), when]
}

fn slack(space: &Space) -> String {
    match space.page_bytes {
        0 => "-".to_owned(),
        all => format!(
            "{}, {}",
            bytes(space.slack_bytes),
            percent(space.slack_bytes as f64 / all as f64)
        ),
    }
}
