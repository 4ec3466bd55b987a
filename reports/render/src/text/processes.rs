//! The observed processes, and gaps in the evidence.

use std::collections::BTreeSet;
use std::io;

use super::writer::{Detail, TextWriter};
use crate::model::{Finding, Process, Report};
use crate::units::{bytes, counted, duration};
use aclsan_frames::task_queue;
use aclsan_rules::evidence::rule::Severity;

/// Maximum number of processes with a line of their own.
const PROCESSES: usize = 16;

/// One line per process.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let all = &report.processes;
    // If there are many, the comparison covers them.
    let shown = match writer.style().most {
        0 => all.len(),
        _ if all.len() > PROCESSES => PROCESSES,
        _ => all.len(),
    };
    for (at, process) in all[..shown].iter().enumerate() {
        writer.turn_to(process.pid);
        let name = writer.needs_name(at).then(|| writer.name(at));
        writer.line(&about(process, name))?;
    }
    let rest = &all[shown..];
    if !rest.is_empty() {
        let calls = rest
            .iter()
            .fold(0, |sum: u64, one| sum.saturating_add(one.calls));
        let open = rest.iter().filter(|one| is_cut(one)).count();
        writer.line(&format!(
            "aclsan: {} more with {}, of which {open} were killed, left by `_exit`, or still run: `--limit 0` shows all",
            counted(rest.len() as u64, "process"),
            counted(calls, "call"),
        ))?;
    }
    Ok(())
}

/// `name` if the process number is not unique.
fn about(process: &Process, name: Option<&str>) -> String {
    let program = match (process.arguments.as_str(), process.program.as_str()) {
        ("", "") => "a program of unknown name",
        ("", program) => program,
        (arguments, _) => arguments,
    };
    let mut text = match name {
        Some(name) => format!("aclsan: process {name}: {program}"),
        None => format!("aclsan: {program}"),
    };
    if !process.host.is_empty() {
        text.push_str(&format!(" on {}", process.host));
    }
    text.push_str(&format!(
        ": {} in {}, from {}",
        counted(process.calls, "call"),
        duration(process.duration_ns),
        process.log,
    ));
    if !process.forked_from.is_empty() {
        text.push_str(&format!("; forked from {}", process.forked_from));
    }
    if !process.went_on.is_empty() {
        let log = &process.went_on;
        text.push_str(&format!("; it went on as another program, in {log}"));
    }
    if process.is_running {
        text.push_str("; it still runs");
    } else if process.dropped_events > 0 {
        text.push_str("; events of it are missing: the log had no room for them");
    } else if is_cut(process) {
        text.push_str("; it was killed, left by `_exit`, or still runs: the log has no end");
    }
    text
}

/// Whether its log ends before the process did, for no visible reason.
fn is_cut(process: &Process) -> bool {
    let is_explained =
        process.is_running || process.end.death.is_some() || !process.went_on.is_empty();
    !process.is_complete && !is_explained && process.dropped_events == 0
}

/// One line for each build of the shim that wrote a log and says so; none if it has the command's own version, as usual.
fn recorders(processes: &[Process]) -> Vec<String> {
    let known = processes
        .iter()
        .filter(|process| !process.shim_version.is_empty() && !process.shim_build_id.is_empty());
    let builds: BTreeSet<_> = known
        .map(|process| (&process.shim_version, &process.shim_build_id))
        .collect();
    if builds.len() == 1
        && builds
            .iter()
            .all(|(version, _)| **version == env!("CARGO_PKG_VERSION"))
    {
        return Vec::new();
    }
    let line = |(version, id): (&String, &String)| {
        format!("recorded by `libaclsan.so` {version}, build-id {id}")
    };
    builds.into_iter().map(line).collect()
}

/// Whether a finding that counts has a stack that torch_npu's task queue cut off.
fn is_of_task_queue(finding: &Finding) -> bool {
    let stacks = &finding.stacks;
    let mut traces = stacks.earlier.iter().chain([&stacks.here]);
    finding.severity != Severity::Note
        && traces.any(|trace| {
            task_queue::is_of_task_queue(trace.frames.iter().map(|frame| &*frame.module))
        })
}

/// One line for each fact that a reader of the report has to know about the logs.
pub fn write_quality(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let own = &report.own;
    let mut lines = recorders(&report.processes);
    if own.dropped_events > 0 {
        lines.push(format!(
            "{} could not be recorded: blocks may have been released that count as leaked",
            counted(own.dropped_events, "event")
        ));
    }
    if own.stackless_calls > 0 {
        lines.push(format!(
            "{} recorded without a stack: there were more stacks than are kept; set `stack_depth` lower, or `stack_sample`",
            match own.stackless_calls {
                1 => "1 call was".to_owned(),
                calls => format!("{calls} calls were"),
            }
        ));
    }
    if own.stack_sample > 1 {
        lines.push(format!(
            "only one call in {} has a whole stack (`stack_sample`): the others show the calling line only, and count with the whole \
             stack from that line if there is just one. So one place may be reported more than once, baselines may contain it in another form, and budgets and suppressions of outer functions cover only part of it",
            own.stack_sample
        ));
    }
    if own.block_sample > 0 {
        lines.push(format!(
            "one block of device or pinned memory was recorded per {} allocated (`block_sample`): numbers marked with ~ are estimates, and bounds hold with \
             95 % confidence; copies in memory that is not recorded, the order of streams and layouts are not judged",
            bytes(own.block_sample)
        ));
    }
    for cut in &own.damage {
        lines.push(format!(
            "the log of process {} is damaged at byte {}: {} lost",
            writer.name(cut.process),
            cut.offset,
            match cut.lost_bytes {
                1 => "1 byte is".to_owned(),
                lost => format!("{lost} bytes are"),
            }
        ));
    }
    for (count, what, why) in [
        (
            own.unknown_records,
            "record",
            "skipped, of a type that only a newer aclsan knows",
        ),
        (
            own.unknown_functions,
            "call",
            "not judged, of a function that this aclsan does not know",
        ),
        (
            own.unmatched_releases,
            "release",
            "of a block that the log does not define",
        ),
        (
            own.unseen_releases,
            "block",
            "released unseen, another block was allocated at its address",
        ),
    ] {
        if count > 0 {
            lines.push(format!("{}: {why}", counted(count, what)));
        }
    }
    if own.guarded_blocks > 0 && writer.style().detail > Detail::Brief {
        let mut line = format!(
            "guards took {} after {}",
            bytes(own.guard_bytes),
            counted(own.guarded_blocks, "block")
        );
        if own.guards_changed_page > 0 {
            line.push_str(&format!(
                ", and moved {} to larger pages",
                own.guards_changed_page
            ));
        }
        if own.guards_in_slack > 0 {
            line.push_str(&format!(
                "; {} have guards only in the runtime's rounding, as larger ones would have taken larger pages, or one more",
                own.guards_in_slack
            ));
        }
        lines.push(line);
    }
    // Redzones that fit into pages that were there anyway are not worth a line.
    if own.guard_page_bytes > own.guard_bytes.saturating_mul(2) {
        lines.push(format!(
            "for their guards, blocks occupy {} more of pages, which layouts count",
            bytes(own.guard_page_bytes)
        ));
    }
    if own.guard_page_blocks > 0 {
        lines.push(match own.guard_page_blocks {
            1 => "1 block is placed before guard pages of aclsan: layouts leave it out".to_owned(),
            blocks => format!(
                "{blocks} blocks are placed before guard pages of aclsan: layouts leave them out"
            ),
        });
    }
    if report.findings.iter().any(is_of_task_queue) {
        lines.push(task_queue::HINT.to_owned());
    }
    lines.extend(own.guard_notices.iter().cloned());
    lines.extend(own.symbol_warnings.iter().cloned());
    if lines.is_empty() {
        return Ok(());
    }
    writer.title("About this report")?;
    for line in lines {
        writer.line(&format!("  {line}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(version: &str, id: &str) -> Process {
        Process {
            shim_version: version.to_owned(),
            shim_build_id: id.to_owned(),
            ..Process::default()
        }
    }

    #[test]
    fn builds_of_the_shim_are_named_where_they_are_not_the_commands() {
        let own = env!("CARGO_PKG_VERSION");
        let nothing: [String; 0] = [];
        assert_eq!(recorders(&[by(own, "ab"), by(own, "ab")]), nothing);
        assert_eq!(
            recorders(&[by("0.0.9", "cd")]),
            ["recorded by `libaclsan.so` 0.0.9, build-id cd"]
        );
        let two = recorders(&[by(own, "ef"), by(own, "ab"), by(own, "ef")]);
        assert_eq!(two.len(), 2, "{two:?}");
    }
}
