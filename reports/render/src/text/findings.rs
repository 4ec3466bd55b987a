//! Findings other than leaks by site.

use std::collections::HashSet;
use std::io;

use aclsan_rules::evidence::finding::Earlier;
use aclsan_rules::evidence::message;
use aclsan_rules::evidence::message::BlockPosition;

use super::overview::{Group, ordered};
use super::writer::{Detail, TextWriter};
use crate::model::{Finding, Report, Trace};
use crate::units::{counted, duration};

/// The findings of these groups, in order; of those that `is_printed` says were printed before, only what nobody knew then.
pub fn write(
    report: &Report,
    groups: &[Group],
    is_printed: fn(&Finding) -> bool,
    writer: &mut TextWriter,
) -> io::Result<()> {
    let leaks: HashSet<&str> = report
        .leaks
        .sites
        .iter()
        .map(|site| site.fingerprint.as_str())
        .collect();
    let findings = ordered(report).into_iter();
    let findings = findings.filter(|finding| groups.contains(&Group::of(finding)));
    let findings = findings.filter(|finding| !leaks.contains(finding.fingerprint.as_str()));
    let (printed, findings): (Vec<_>, Vec<_>) = findings.partition(|finding| is_printed(finding));
    for finding in printed {
        write_late(finding, is_printed, writer)?;
    }
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

/// What follows from a finding that was printed while the program ran, and was only found at its end.
fn write_late(
    finding: &Finding,
    is_printed: fn(&Finding) -> bool,
    writer: &mut TextWriter,
) -> io::Result<()> {
    let late = finding.consequences.iter();
    let mut late = late.filter(|other| !is_printed(other)).peekable();
    if late.peek().is_none() {
        return Ok(());
    }
    writer.turn_to(finding.pid);
    writer.gap()?;
    let place = finding.stacks.here.caller_label();
    writer.line(&format!(
        "further consequences of {} at {place}:",
        finding.rule
    ))?;
    late.try_for_each(|other| writer.consequence(other))
}

pub(super) fn write_one(finding: &Finding, writer: &mut TextWriter) -> io::Result<()> {
    match writer.style().detail {
        Detail::Brief => write_brief(finding, writer)?,
        _ => write_long(finding, writer)?,
    }
    let processes: Vec<usize> = finding.met.iter().map(|met| met.process).collect();
    if processes.len() > 1 || processes.iter().any(|&at| writer.needs_name(at)) {
        writer.line(&format!("  In {}", writer.process_list(&processes)))?;
    }
    Ok(())
}

fn write_brief(finding: &Finding, writer: &mut TextWriter) -> io::Result<()> {
    writer.headline(
        finding.severity,
        &format!("{}: {}", finding.rule, finding.message),
        finding.count,
    )?;
    let here = &finding.stacks.here;
    if finding.thread_name.is_some() {
        let thread = thread(finding.thread, finding.thread_name.as_deref());
        writer.line(&format!("  in thread {thread}:"))?;
    }
    writer.here(here)?;
    for earlier in &finding.stacks.earlier {
        write_earlier(earlier, writer)?;
    }
    for detail in message::brief_details(&finding.details) {
        writer.line(&format!("  {detail}"))?;
    }
    for other in &finding.consequences {
        writer.consequence(other)?;
    }
    let advice = message::brief_advice(&finding.runtime, &finding.instead);
    advice.iter().try_for_each(|line| writer.line(line))
}

fn write_long(finding: &Finding, writer: &mut TextWriter) -> io::Result<()> {
    writer.headline(
        finding.severity,
        &format!("{}: {}", finding.rule, finding.message),
        1,
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
    writer.call(&call_label(label(earlier.what), earlier), earlier)
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
