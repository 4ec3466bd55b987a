//! Leaks by site, and pointers of unknown origin.

use std::collections::HashMap;
use std::io;

use super::findings::{call_label, thread, write_advice, write_earlier};
use super::writer::{Detail, TextWriter};
use crate::model::{Finding, LeakScan, LeakSite, Report, ScanGap};
use crate::totals;
use crate::units::{bytes, counted, device, duration};
use aclsan_rules::evidence::message;
use aclsan_rules::evidence::rule::Severity;

/// Every leaking site, most bytes first. `is_alone` says that findings are not written, so that what follows from one is written here.
pub fn write(report: &Report, is_alone: bool, writer: &mut TextWriter) -> io::Result<()> {
    let leaks = &report.leaks;
    if leaks.sites.is_empty() {
        return Ok(());
    }
    let detail = writer.style().detail;
    // The summary has these numbers.
    let has_title = is_alone || detail > Detail::Brief || !leaks.classes.is_empty();
    if has_title {
        writer.title(&writer.sums(&title(report)))?;
    }
    if has_title && leaks.reclaimed_blocks > 0 {
        writer.line(&writer.sums(&format!(
            "  {} in {} of these were reclaimed by the reset of their device",
            bytes(leaks.reclaimed_bytes),
            counted(leaks.reclaimed_blocks, "block")
        )))?;
    }
    for class in &leaks.classes {
        writer.line(&writer.sums(&format!(
            "  {}: {} in {}",
            class.class,
            bytes(class.bytes),
            counted(class.blocks, "block")
        )))?;
    }
    for scan in leaks.scans.iter().filter(|scan| scan.outcome != "whole") {
        writer.line(&format!("  {}", shortcoming(scan, writer)))?;
    }
    for scan in &leaks.scans {
        for gap in &scan.gaps {
            writer.line(&format!("  {}", missed(scan, gap, writer)))?;
        }
    }
    let findings: HashMap<&str, &Finding> = report
        .each_finding()
        .map(|finding| (finding.fingerprint.as_str(), finding))
        .collect();
    let shown = writer.shown(leaks.sites.len());
    for site in &leaks.sites[..shown] {
        writer.turn_to(site.pid);
        let root = site.root.as_ref().filter(|_| !is_alone);
        if root.is_some() && detail == Detail::Brief {
            continue; // its root names it
        }
        writer.gap()?;
        if let Some((rule, place)) = root {
            write_consequence(site, rule, place, writer)?;
            continue;
        }
        write_one(
            site,
            findings.get(site.fingerprint.as_str()).copied(),
            writer,
        )?;
    }
    let rest = &leaks.sites[shown..];
    if !rest.is_empty() {
        writer.gap()?;
        let bytes_left_out = rest.iter().map(|site| site.bytes);
        writer.line(&writer.sums(&format!(
            "{} more with {}: `--limit 0` shows all",
            counted(rest.len() as u64, "place"),
            bytes(bytes_left_out.fold(0, u64::saturating_add))
        )))?;
    }
    Ok(())
}

fn title(report: &Report) -> String {
    let leaks = &report.leaks;
    let runs = !report.processes.is_empty() && report.processes.iter().all(|one| one.is_running);
    format!(
        "{}: {} in {}, allocated at {}",
        if runs { "Live now" } else { "Leaks" },
        bytes(leaks.bytes),
        counted(leaks.blocks, "block"),
        counted(leaks.sites.len() as u64, "place")
    )
}

fn shortcoming(scan: &LeakScan, writer: &TextWriter) -> String {
    match scan.outcome {
        "failed" => format!(
            "the memory of process {} could not be scanned for pointers: a sandbox forbids it, or address space was short",
            writer.name(scan.process)
        ),
        _ => format!(
            "only part of the memory of process {} was scanned for pointers, {} in {}: blocks without one may still be reachable; \
             raise `leak_scan_ms`",
            writer.name(scan.process),
            bytes(scan.bytes),
            duration(scan.ns)
        ),
    }
}

fn missed(scan: &LeakScan, gap: &ScanGap, writer: &TextWriter) -> String {
    let process = writer.name(scan.process);
    match gap.what {
        "threads" => format!(
            "{} of process {process} could not be stopped for the scan for pointers: only a register of theirs may have the pointer to a block",
            counted(gap.count, "thread")
        ),
        "glibc" => format!(
            "{} of process {process}, found in a heap of `malloc` that could not be taken apart: reachable as far as is known",
            counted(gap.count, "block")
        ),
        allocator => format!(
            "{} of process {process}, found in memory whose objects only {allocator} knows: reachable as far as is known",
            counted(gap.count, "block")
        ),
    }
}

/// A leak that its root lists: that has the stack.
fn write_consequence(
    site: &LeakSite,
    rule: &str,
    place: &str,
    writer: &mut TextWriter,
) -> io::Result<()> {
    let sum = format!("{} in {}", bytes(site.bytes), counted(site.blocks, "block"));
    let sum = writer.sums(&sum);
    writer.line(&format!("{sum}: a consequence of {rule} at {place}"))?;
    writer.line(&format!(
        "  {} memory of {}, {}",
        site.family,
        device(site.device),
        ages(site)
    ))
}

fn write_one(
    site: &LeakSite,
    finding: Option<&Finding>,
    writer: &mut TextWriter,
) -> io::Result<()> {
    match finding {
        Some(finding) => writer.headline(
            finding.severity,
            &format!("{}: {}", finding.rule, finding.message),
            1,
        )?,
        None => writer.headline(
            Severity::Note,
            &writer.sums(&format!(
                "{} in {}",
                bytes(site.bytes),
                counted(site.blocks, "block")
            )),
            1,
        )?,
    }
    if let Some(all) = totals::leak_total(site, |processes| writer.process_list(processes)) {
        writer.line(&writer.sums(&format!("  {all}")))?;
    }
    if let &[process] = site.processes.as_slice() {
        writer.identify(process)?;
    }
    writer.line(&format!(
        "  {} memory of {}, {}",
        site.family,
        device(site.device),
        ages(site)
    ))?;
    let is_brief = writer.style().detail == Detail::Brief;
    let allocated = call_label("allocated by", &site.allocated);
    let name = thread(site.thread, site.thread_name.as_deref());
    let label = match site.threads() {
        0 | 1 if is_brief && site.thread_name.is_none() => allocated,
        0 | 1 => format!("{allocated} in thread {name}"),
        many => format!("{allocated} in {many} threads, the oldest block in thread {name}"),
    };
    writer.call(&label, &site.allocated)?;
    let Some(finding) = finding else {
        return Ok(());
    };
    let earlier = finding.stacks.earlier.iter();
    for reset in earlier.filter(|trace| trace.what == "reset") {
        write_earlier(reset, writer)?;
    }
    for detail in &finding.details {
        writer.line(&format!("  {detail}"))?;
    }
    if !is_brief {
        return write_advice(finding, writer);
    }
    // What the runtime does about a leak is said by when it was reclaimed.
    let advice = message::brief_advice("", &finding.instead);
    advice.iter().try_for_each(|line| writer.line(line))
}

fn ages(site: &LeakSite) -> String {
    let end = match site.is_reclaimed {
        true => "when the device was reset",
        false => "at the end",
    };
    match site.blocks {
        1 => format!("{} old {end}", duration(site.oldest_ns)),
        _ if site.youngest_ns == site.oldest_ns => format!(
            "each {} old {end}, the largest has {}",
            duration(site.oldest_ns),
            bytes(site.largest_bytes)
        ),
        _ => format!(
            "{} to {} old {end}, the largest has {}",
            duration(site.youngest_ns),
            duration(site.oldest_ns),
            bytes(site.largest_bytes)
        ),
    }
}

/// Releases of pointers whose allocation was not seen.
pub fn write_unknown(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let unknown = &report.metrics.unknown_origin;
    if unknown.sites.is_empty() {
        return Ok(());
    }
    writer.title(&format!(
        "Unknown origin: {} of pointers whose allocation was not seen, from {}",
        counted(unknown.pointers, "release"),
        counted(unknown.sites.len() as u64, "place")
    ))?;
    writer.line("  allocated before aclsan was loaded, or by a layer below: no finding")?;
    let shown = writer.shown(unknown.sites.len());
    for site in &unknown.sites[..shown] {
        writer.turn_to(site.pid);
        writer.identify(site.process)?;
        let first = format!("{:#x}", site.address);
        let times = counted(site.count, "time");
        writer.line(&format!(
            "  {}, {times}, the first {first}:",
            call_label("released by", &site.released)
        ))?;
        writer.stack(&site.released)?;
    }
    Ok(())
}
