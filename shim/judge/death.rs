//! Prints how the process dies.

use super::report::is_long;
use super::{frame, stack};
use crate::state::process::Process;
use crate::state::thread;
use aclsan_log::End;
use aclsan_os::lock::attempt;
use aclsan_os::{stderr, thread_name};
use aclsan_rules::evidence::death;
use aclsan_rules::evidence::plural::{bytes, plural};

/// Prints the signal, the stack, and what is live. `frames` are innermost first.
pub fn print_death(process: &Process, end: &End, frames: &[u64]) {
    if stderr::is_quiet() {
        return;
    }
    let mut lines = vec![format!(
        "aclsan: {}",
        death::sentence(end, std::process::id())
    )];
    let name = thread_name::own().replace(|c: char| c == '`' || c.is_control(), "?");
    if !name.is_empty() {
        lines.push(format!("  in thread {} `{name}`:", end.thread));
    }
    let named = || stack_lines(process, frames);
    lines.extend(attempt(named).unwrap_or_else(|| bare_lines(frames)));
    lines.extend(attempt(|| live(process)).flatten());
    thread::run_on_big_stack(|| stderr::print_lines(&lines.join("\n")));
}

fn stack_lines(process: &Process, frames: &[u64]) -> Vec<String> {
    let frames = frame::named(process, frames);
    match (is_long(), frames.is_empty()) {
        (_, true) => vec!["  in (no stack)".to_owned()],
        (true, false) => {
            let all = stack::lines_of(process, frames, true);
            all.iter().map(|line| format!("    {line}")).collect()
        }
        (false, false) => {
            let (chain, source) = stack::brief_of(process, frames, true);
            let source = source.map(|line| format!("    {line}"));
            std::iter::once(format!("  in {chain}"))
                .chain(source)
                .collect()
        }
    }
}

/// Without the names, which need locks.
fn bare_lines(frames: &[u64]) -> Vec<String> {
    let frames = frames.iter().enumerate();
    frames
        .map(|(at, frame)| format!("    #{at} {frame:#x}"))
        .collect()
}

/// A line about live memory, if there is any.
fn live(process: &Process) -> Option<String> {
    let (mut blocks, mut sum) = (0u64, 0u64);
    process.heap.live.for_each_live(|key, entry| {
        let block = entry.block(key);
        if block.family().is_memory() && !process.heap.ignored.contains(block.id) {
            (blocks, sum) = (blocks + 1, sum.saturating_add(block.size));
        }
    });
    (blocks > 0).then(|| {
        format!(
            "  live at the crash: {} in {}, no leak",
            bytes(sum),
            plural(blocks, "block")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_a_stack_still_has_its_addresses() {
        let lines = bare_lines(&[0x1000, 0x7fff_0000_1234]);
        assert_eq!(lines, ["    #0 0x1000", "    #1 0x7fff00001234"]);
    }
}
