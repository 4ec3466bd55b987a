//! Allocations refused for lack of memory.

use std::io;

use aclsan_rules::evidence::rule::Severity;

use super::findings::call_label;
use super::fragmentation::pinned;
use super::writer::TextWriter;
use crate::model::{Cause, OomReport, Report, RuntimeMemInfo};
use crate::units::{bytes, counted, device, duration};

/// Every refusal: the cause, the evidence, who had the memory.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    if report.autopsies.is_empty() {
        return Ok(());
    }
    writer.title("Out of memory")?;
    let shown = writer.shown(report.autopsies.len());
    for oom in &report.autopsies[..shown] {
        writer.turn_to(oom.pid);
        writer.gap()?;
        write_one(oom, writer)?;
    }
    Ok(())
}

fn write_one(oom: &OomReport, writer: &mut TextWriter) -> io::Result<()> {
    let times = match oom.count {
        1 => String::new(),
        count => format!(", the first of {}", counted(count, "time")),
    };
    writer.headline(
        Severity::Note,
        &format!(
            "{} on {} was refused with {}{times}: {}",
            bytes(oom.request_bytes),
            device(oom.device),
            oom.status,
            verdict(oom.cause)
        ),
        1,
    )?;
    writer.identify(oom.process)?;
    let pages = match oom.page {
        "" => String::new(),
        class => format!(
            ", for pages of {class}; the largest hole between such blocks had {}",
            bytes(oom.largest_hole_bytes)
        ),
    };
    writer.line(&format!("  {} after the start{pages}", duration(oom.ns)))?;
    if matches!(
        oom.cause,
        Cause::Fragmentation | Cause::PageClass | Cause::Unknown
    ) {
        pinned(&oom.pinners, writer)?;
    }
    writer.line(&format!(
        "  this process had {} live in {} of pages, {} of these for guards; the largest request granted was {}",
        bytes(oom.live_bytes),
        bytes(oom.page_bytes),
        bytes(oom.guard_bytes),
        bytes(oom.largest_granted_bytes)
    ))?;
    match &oom.reported {
        None => writer.line("  the program never called `aclrtGetMemInfo`")?,
        Some(word) => writer.line(&format!("  {}", free_memory(word, oom.ns)))?,
    }
    writer.line(&format!("  `{}`:", oom.refused.function))?;
    writer.stack(&oom.refused)?;
    for holder in &oom.holders {
        writer.line(&format!(
            "  {} live in {}, {}:",
            bytes(holder.bytes),
            counted(holder.blocks, "block"),
            call_label("allocated by", &holder.allocated)
        ))?;
        writer.stack(&holder.allocated)?;
    }
    Ok(())
}

fn free_memory(word: &RuntimeMemInfo, ns: u64) -> String {
    let free = format!(
        "`aclrtGetMemInfo` reported {} free of {}",
        bytes(word.free_bytes),
        bytes(word.total_bytes)
    );
    match word.ns > ns {
        true => format!("{free}, {} later", duration(word.ns - ns)),
        false => format!(
            "{free}, {} before; since then {} of pages were allocated and {} released",
            duration(ns - word.ns),
            bytes(word.taken_bytes),
            bytes(word.returned_bytes)
        ),
    }
}

fn verdict(cause: Cause) -> &'static str {
    match cause {
        Cause::Shortage => "shortage: less memory was free than it needed",
        Cause::OtherProcess => {
            "other process: less memory was free than it needed, and other processes or the runtime had more than this process"
        }
        Cause::PageClass => {
            "page class: memory was free, but not in the only pages that its policy takes"
        }
        Cause::Fragmentation => "fragmentation: memory was free, in pieces or in a cache",
        Cause::Guards => {
            "aclsan's own guards: they took the missing memory; `--guard off` or `--guard-sample` leaves more"
        }
        Cause::Unknown => {
            "unknown: the evidence is inconclusive; call `aclrtGetMemInfo` before or after"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::chinese::translate;

    #[test]
    fn what_was_short_is_not_said_to_be_used_up() {
        for cause in [Cause::Shortage, Cause::OtherProcess] {
            let said = verdict(cause);
            assert!(
                said.contains("less memory was free than it needed"),
                "{said}"
            );
            let chinese = translate(said).expect("the table has it");
            assert!(chinese.contains("空闲内存少于所需"), "{chinese}");
        }
    }
}
