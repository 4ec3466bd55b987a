//! Findings other than leaks.

use std::collections::HashSet;
use std::io;

use aclsan_rules::evidence::finding::Earlier;
use aclsan_rules::evidence::message;
use aclsan_rules::evidence::message::BlockPosition;

use super::writer::TextWriter;
use crate::model::{Finding, Report, Trace};
use crate::units::{counted, duration};

/// All findings, most severe first.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let leaks: HashSet<&str> = report
        .leaks
        .sites
        .iter()
        .map(|site| site.fingerprint.as_str())
        .collect();
    let findings = report.findings.iter();
    let findings: Vec<_> = findings
        .filter(|finding| !leaks.contains(finding.fingerprint.as_str()))
        .collect();
    let shown = writer.shown(findings.len());
    for finding in &findings[..shown] {
        writer.turn_to(finding.pid);
        writer.gap()?;
        write_one(finding, writer)?;
    }
    if shown < findings.len() {
        writer.gap()?;
        writer.line(&format!(
            "{} more: `--limit 0` shows all",
            counted((findings.len() - shown) as u64, "finding")
        ))?;
    }
    Ok(())
}

pub(super) fn write_one(finding: &Finding, writer: &mut TextWriter) -> io::Result<()> {
    writer.headline(
        finding.severity,
        &format!("{}: {}", finding.rule, finding.message),
    )?;
    if let Some(address) = finding.address {
        writer.line(&format!("  {}", place(finding, address)))?;
    }
    let here = &finding.stacks.here;
    writer.line(&format!(
        "  {} thread {}, {} after the start:",
        call_label("", here),
        thread(finding.thread, finding.thread_name.as_deref()),
        duration(finding.first_ns)
    ))?;
    writer.stack(here)?;
    for earlier in &finding.stacks.earlier {
        write_earlier(earlier, writer)?;
    }
    for detail in &finding.details {
        writer.line(&format!("  {detail}"))?;
    }
    for other in &finding.consequences {
        writer.consequence(other)?;
    }
    write_advice(finding, writer)?;
    if finding.count > 1 {
        let last = match finding.last_ns > finding.first_ns {
            true => format!(
                ", the last one {} after the start",
                duration(finding.last_ns)
            ),
            false => String::new(),
        };
        writer.line(&format!("  Times: {}{last}", finding.count))?;
    }
    let processes: Vec<usize> = finding.met.iter().map(|met| met.process).collect();
    if processes.len() > 1 || processes.iter().any(|&at| writer.needs_name(at)) {
        writer.line(&format!("  In {}", writer.process_list(&processes)))?;
    }
    Ok(())
}

/// A thread's number, and its name if it has one.
pub fn thread(number: u32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{number} `{}`", name.replace('`', "'")),
        None => number.to_string(),
    }
}

/// What happened earlier, with its stack.
pub fn write_earlier(earlier: &Trace, writer: &mut TextWriter) -> io::Result<()> {
    writer.line(&format!("  {}:", call_label(label(earlier.what), earlier)))?;
    writer.stack(earlier)
}

/// What the runtime does, how to fix it, where to read more.
pub fn write_advice(finding: &Finding, writer: &mut TextWriter) -> io::Result<()> {
    for line in message::advice(finding.rule, &finding.runtime, &finding.instead) {
        writer.line(&line)?;
    }
    Ok(())
}

fn place(finding: &Finding, address: u64) -> String {
    let spot = finding.block.as_ref().map(|block| BlockPosition {
        start: block.address,
        size: block.size,
        offset: block.offset as u64,
        family: block.family,
        device: block.device,
    });
    message::place(address, spot)
}

fn label(what: &str) -> &'static str {
    match what {
        "allocated" => Earlier::Allocated.label(),
        "released" => Earlier::Released.label(),
        "reset" => Earlier::Reset.label(),
        "exported" => Earlier::Exported.label(),
        "registered" => Earlier::Registered.label(),
        "sent" => Earlier::Sent.label(),
        "queued" => Earlier::Queued.label(),
        "neighbour" => Earlier::Neighbor.label(),
        "named" => Earlier::Named.label(),
        "neighbour-named" => Earlier::NeighborNamed.label(),
        _ => "before that",
    }
}

/// `label` and the name of the call, if known.
pub fn call_label(label: &str, trace: &Trace) -> String {
    let call = match trace.function.as_str() {
        "" => "an unknown call".to_owned(),
        function => format!("`{function}`"),
    };
    match label {
        "" => format!("{call} in"),
        _ => format!("{label} {call}"),
    }
}
