//! Leaks by site, and pointers of unknown origin.

use std::collections::HashMap;
use std::io;

use super::findings::{called, write_advice, write_earlier};
use super::writer::Page;
use crate::model::{Finding, LeakScan, LeakSite, Report};
use crate::totals;
use crate::units::{bytes, counted, device, duration};
use aclsan_rules::Severity;

/// Every leaking site, the most bytes first.
pub fn write(report: &Report, page: &mut Page) -> io::Result<()> {
    let leaks = &report.leaks;
    if leaks.sites.is_empty() {
        return Ok(());
    }
    page.title(&format!(
        "Leaks: {} in {}, allocated at {}",
        bytes(leaks.bytes),
        counted(leaks.blocks, "block"),
        counted(leaks.sites.len() as u64, "place")
    ))?;
    if leaks.reclaimed_blocks > 0 {
        page.line(&format!(
            "  {} in {} of these were reclaimed by the reset of their device",
            bytes(leaks.reclaimed_bytes),
            counted(leaks.reclaimed_blocks, "block")
        ))?;
    }
    for class in &leaks.classes {
        page.line(&format!(
            "  {}: {} in {}",
            class.class,
            bytes(class.bytes),
            counted(class.blocks, "block")
        ))?;
    }
    for scan in leaks.scans.iter().filter(|scan| scan.outcome != "whole") {
        page.line(&format!("  {}", shortcoming(scan, page)))?;
    }
    let findings: HashMap<&str, &Finding> = report
        .findings
        .iter()
        .map(|finding| (finding.fingerprint.as_str(), finding))
        .collect();
    let shown = page.shown(leaks.sites.len());
    for site in &leaks.sites[..shown] {
        page.turn_to(site.pid);
        page.gap()?;
        write_one(site, findings.get(site.fingerprint.as_str()).copied(), page)?;
    }
    let rest = &leaks.sites[shown..];
    if !rest.is_empty() {
        page.gap()?;
        page.line(&format!(
            "{} more with {}: `--limit 0` shows all",
            counted(rest.len() as u64, "place"),
            bytes(
                rest.iter()
                    .fold(0_u64, |sum, site| sum.saturating_add(site.bytes))
            )
        ))?;
    }
    Ok(())
}

fn shortcoming(scan: &LeakScan, page: &Page) -> String {
    match scan.outcome {
        "failed" => format!(
            "the memory of process {} could not be looked through for pointers: a sandbox forbids it, or addresses were short",
            page.name(scan.process)
        ),
        _ => format!(
            "the memory of process {} was looked through for pointers in part, {} in {}: blocks to which none was found may still be known; \
             raise `leak_scan_ms`",
            page.name(scan.process),
            bytes(scan.bytes),
            duration(scan.ns)
        ),
    }
}

fn write_one(site: &LeakSite, finding: Option<&Finding>, page: &mut Page) -> io::Result<()> {
    match finding {
        Some(finding) => page.headline(
            finding.severity,
            &format!("{}: {}", finding.rule, finding.message),
        )?,
        None => page.headline(
            Severity::Note,
            &format!("{} in {}", bytes(site.bytes), counted(site.blocks, "block")),
        )?,
    }
    if let Some(all) = totals::leaked(site, |processes| page.some_of(processes)) {
        page.line(&format!("  {all}"))?;
    }
    if let &[process] = site.processes.as_slice() {
        page.tell_apart(process)?;
    }
    page.line(&format!(
        "  {} memory of {}, {}",
        site.family,
        device(site.device),
        ages(site)
    ))?;
    page.line(&format!(
        "  {} in thread {}:",
        called("allocated by", &site.allocated),
        site.thread
    ))?;
    page.stack(&site.allocated)?;
    let Some(finding) = finding else {
        return Ok(());
    };
    let earlier = finding.stacks.earlier.iter();
    for reset in earlier.filter(|trace| trace.what == "reset") {
        write_earlier(reset, page)?;
    }
    for detail in &finding.details {
        page.line(&format!("  {detail}"))?;
    }
    write_advice(finding, page)
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

/// Releases of pointers that nobody was seen to allocate.
pub fn write_unknown(report: &Report, page: &mut Page) -> io::Result<()> {
    let unknown = &report.metrics.unknown_origin;
    if unknown.sites.is_empty() {
        return Ok(());
    }
    page.title(&format!(
        "Unknown origin: {} of pointers whose allocation was not seen, from {}",
        counted(unknown.pointers, "release"),
        counted(unknown.sites.len() as u64, "place")
    ))?;
    page.line("  allocated before aclsan was loaded, or by a layer below: no finding")?;
    let shown = page.shown(unknown.sites.len());
    for site in &unknown.sites[..shown] {
        page.turn_to(site.pid);
        page.tell_apart(site.process)?;
        let first = format!("{:#x}", site.address);
        let times = counted(site.count, "time");
        page.line(&format!(
            "  {}, {times}, the first {first}:",
            called("released by", &site.released)
        ))?;
        page.stack(&site.released)?;
    }
    Ok(())
}
