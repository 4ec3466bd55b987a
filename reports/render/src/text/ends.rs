//! Processes that did not end by themselves: what ended them, where, and their last calls.

use std::io;

use super::writer::{Detail, TextWriter};
use crate::model::{Death, EndKind, LastCall, Process, Report};
use crate::units::{bytes, counted, duration};

/// Maximum number of processes; of one job, all die alike.
const PROCESSES: usize = 4;

/// The processes that a signal or `halt_on_error` ended, or that are no longer watched.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let all = report.processes.iter().enumerate();
    let dead: Vec<_> = all
        .filter_map(|(at, process)| Some((at, process, process.end.death.as_deref()?)))
        .collect();
    let shown = match writer.style().most {
        0 => dead.len(),
        _ => dead.len().min(PROCESSES),
    };
    for (at, process, death) in &dead[..shown] {
        writer.turn_to(process.pid);
        write_one((*at, process), death, writer)?;
    }
    match dead.len() - shown {
        0 => Ok(()),
        more => writer.line(&format!(
            "aclsan: {} more ended by a signal or at an error: `--limit 0` shows all",
            counted(more as u64, "process")
        )),
    }
}

fn write_one(
    (at, process): (usize, &Process),
    death: &Death,
    writer: &mut TextWriter,
) -> io::Result<()> {
    writer.gap()?;
    let end = &process.end;
    writer.line(&format!("aclsan: {}", end.message))?;
    writer.identify(at)?;
    if end.kind == EndKind::Signal {
        if let Some(name) = &death.thread_name {
            writer.line(&format!("  in thread {} `{name}`:", death.thread))?;
        }
        match writer.style().detail {
            Detail::Brief => writer.here(&death.stack)?,
            _ => writer.stack(&death.stack)?,
        }
    }
    if !matches!(end.kind, EndKind::Halt | EndKind::Detached) && !death.calls.is_empty() {
        writer.line("  last calls:")?;
        for call in &death.calls {
            write_call(call, death, writer)?;
        }
    }
    match death.live_blocks {
        0 => Ok(()),
        blocks => writer.line(&writer.sums(&format!(
            "  live then: {} in {}, no leak",
            bytes(death.live_bytes),
            counted(blocks, "block")
        ))),
    }
}

fn write_call(call: &LastCall, death: &Death, writer: &mut TextWriter) -> io::Result<()> {
    let before = writer.translate(&format!(
        "{} before",
        duration(death.ns.saturating_sub(call.ns))
    ));
    let mut text = format!("    {before}  {}", call.called.function);
    if !call.called.frames.is_empty() {
        text.push_str(&format!("  {}", call.called.caller_label()));
    }
    if call.thread != death.thread && death.thread != 0 {
        let thread = writer.translate(&format!("in thread {}", call.thread));
        text.push_str(&format!("  {thread}"));
    }
    if call.status != 0 {
        let name = call.status_name.clone();
        let status = name.unwrap_or_else(|| call.status.to_string());
        text.push_str(&format!("  → {status}"));
    }
    writer.raw(&text)
}
