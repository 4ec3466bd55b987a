//! Allocations that were refused for want of memory.

use std::io;

use aclsan_rules::Severity;

use super::findings::called;
use super::fragmentation::pinned;
use super::writer::Page;
use crate::model::{Autopsy, Cause, Report, Word};
use crate::units::{bytes, counted, device, duration};

/// Every refusal: the verdict, the evidence, who had the memory.
pub fn write(report: &Report, page: &mut Page) -> io::Result<()> {
    if report.autopsies.is_empty() {
        return Ok(());
    }
    page.title("Out of memory")?;
    let shown = page.shown(report.autopsies.len());
    for autopsy in &report.autopsies[..shown] {
        page.turn_to(autopsy.pid);
        page.gap()?;
        write_one(autopsy, page)?;
    }
    Ok(())
}

fn write_one(autopsy: &Autopsy, page: &mut Page) -> io::Result<()> {
    let times = match autopsy.count {
        1 => String::new(),
        count => format!(", the first of {}", counted(count, "time")),
    };
    page.headline(
        Severity::Note,
        &format!(
            "{} on {} was refused with {}{times}: {}",
            bytes(autopsy.request_bytes),
            device(autopsy.device),
            autopsy.status,
            verdict(autopsy.cause)
        ),
    )?;
    page.tell_apart(autopsy.process)?;
    let pages = match autopsy.page {
        "" => String::new(),
        class => format!(
            ", for pages of {class}; the largest hole between such blocks had {}",
            bytes(autopsy.largest_hole_bytes)
        ),
    };
    page.line(&format!(
        "  {} after the start{pages}",
        duration(autopsy.ns)
    ))?;
    if matches!(
        autopsy.cause,
        Cause::Fragmentation | Cause::PageClass | Cause::Unknown
    ) {
        pinned(&autopsy.pinners, page)?;
    }
    page.line(&format!(
        "  this process had {} live in {} of pages, {} of these for guards; the largest request granted was {}",
        bytes(autopsy.live_bytes),
        bytes(autopsy.page_bytes),
        bytes(autopsy.guard_bytes),
        bytes(autopsy.largest_granted_bytes)
    ))?;
    match &autopsy.told {
        None => page.line("  the program never asked `aclrtGetMemInfo` how much was free")?,
        Some(word) => page.line(&format!("  {}", told(word, autopsy.ns)))?,
    }
    page.line(&format!("  `{}`:", autopsy.refused.function))?;
    page.stack(&autopsy.refused)?;
    for holder in &autopsy.holders {
        page.line(&format!(
            "  {} in {} were held, {}:",
            bytes(holder.bytes),
            counted(holder.blocks, "block"),
            called("allocated by", &holder.allocated)
        ))?;
        page.stack(&holder.allocated)?;
    }
    Ok(())
}

fn told(word: &Word, ns: u64) -> String {
    let free = format!(
        "`aclrtGetMemInfo` told of {} free of {}",
        bytes(word.free_bytes),
        bytes(word.total_bytes)
    );
    match word.ns > ns {
        true => format!("{free}, {} later", duration(word.ns - ns)),
        false => format!(
            "{free}, {} before; since then {} of pages were taken and {} given back",
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
            "our own guards: they took what was lacking; `--guard off` or `--guard-sample` leaves more"
        }
        Cause::Unknown => {
            "unknown: the evidence does not tell why; ask `aclrtGetMemInfo` before or after"
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
