//! massif's text format for `ms_print` and massif-visualizer: live bytes over time, with the stacks at the peak.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::model::{Change, ChangeKind, History, Trace};
use crate::units::printable;

/// Maximum number of snapshots; `ms_print` draws 72 columns.
const MAX_SNAPSHOTS: usize = 200;
/// Smaller shares of the peak are combined into one line.
const MIN_SHARE: f64 = 0.01;

/// The document. It counts bytes that the program requested, without the runtime's rounding.
pub fn document(history: &History) -> String {
    let mut text = format!(
        "desc: aclsan, device and pinned memory\ncmd: {}\ntime_unit: ms\n",
        printable(&history.arguments)
    );
    let totals = totals(&history.changes);
    let peak = (0..totals.len()).max_by_key(|&at| (totals[at], std::cmp::Reverse(at)));
    let step = totals.len().div_ceil(MAX_SNAPSHOTS).max(1);
    let mut number = 0;
    for at in 0..totals.len() {
        let is_peak = peak == Some(at);
        if !is_peak && at % step != 0 && at + 1 != totals.len() {
            continue;
        }
        let _ = writeln!(
            text,
            "#-----------\nsnapshot={number}\n#-----------\ntime={}\nmem_heap_B={}\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree={}",
            history.changes[at].ns / 1_000_000,
            totals[at],
            if is_peak { "peak" } else { "empty" }
        );
        if is_peak {
            tree(&mut text, history, at, totals[at]);
        }
        number += 1;
    }
    text
}

/// Live bytes after each change.
fn totals(changes: &[Change]) -> Vec<u64> {
    let mut live = 0_u64;
    let totals = changes.iter().map(|change| {
        live = match change.what {
            ChangeKind::Allocated => live.saturating_add(change.size),
            ChangeKind::Ended | ChangeKind::Dropped => live.saturating_sub(change.size),
        };
        live
    });
    totals.collect()
}

/// Who had the bytes after the change at `at`: one line for each frame, indented by its depth.
fn tree(text: &mut String, history: &History, at: usize, total: u64) {
    let mut live: BTreeMap<usize, u64> = BTreeMap::new();
    let mut by_block: BTreeMap<usize, &Change> = BTreeMap::new();
    for change in &history.changes[..=at] {
        match change.what {
            ChangeKind::Allocated => by_block.insert(change.block, change),
            ChangeKind::Ended | ChangeKind::Dropped => by_block.remove(&change.block),
        };
    }
    for change in by_block.values() {
        let bytes = live.entry(change.trace).or_default();
        *bytes = bytes.saturating_add(change.size);
    }
    let mut live: Vec<(usize, u64)> = live.into_iter().collect();
    live.sort_by_key(|&(trace, bytes)| (std::cmp::Reverse(bytes), trace));
    let least = (total as f64 * MIN_SHARE) as u64;
    let (shown, small): (Vec<_>, Vec<_>) = live
        .into_iter()
        .partition(|(_, bytes)| *bytes >= least.max(1));
    let children = shown.len() + usize::from(!small.is_empty());
    let _ = writeln!(
        text,
        "n{children}: {total} (AscendCL memory functions) aclrtMalloc and its like"
    );
    for (trace, bytes) in shown {
        stack(text, &history.traces[trace], bytes);
    }
    if !small.is_empty() {
        let bytes = small.iter().map(|(_, bytes)| *bytes);
        let bytes = bytes.fold(0, u64::saturating_add);
        let _ = writeln!(
            text,
            " n0: {bytes} in {} places, all below massif's threshold (1.00%)",
            small.len()
        );
    }
}

fn stack(text: &mut String, trace: &Trace, bytes: u64) {
    let frames: Vec<_> = std::iter::once((0, trace.function.clone(), String::new()))
        .chain(trace.frames.iter().map(|frame| {
            let place = match (&frame.file, frame.line) {
                (Some(file), Some(line)) => {
                    format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))
                }
                _ => format!("in {}", frame.module),
            };
            (frame.address, frame.identity(), place)
        }))
        .collect();
    for (depth, (address, name, place)) in frames.iter().enumerate() {
        let has_caller = usize::from(depth + 1 < frames.len());
        let place = if place.is_empty() {
            "in libascendcl.so"
        } else {
            place
        };
        let _ = writeln!(
            text,
            "{:depth$}n{has_caller}: {bytes} 0x{address:X}: {} ({})",
            "",
            printable(name),
            printable(place),
            depth = depth + 1
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn a_history_by_hand() {
        let text = document(&history());
        let snapshots: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("mem_heap_B"))
            .collect();
        // 4096, then 4096 + 1000, then the first is released.
        assert_eq!(
            snapshots,
            ["mem_heap_B=4096", "mem_heap_B=5096", "mem_heap_B=1000"]
        );
        assert!(text.contains(
            "heap_tree=peak\nn2: 5096 (AscendCL memory functions) aclrtMalloc and its like\n \
             n1: 4096 0x0: aclrtMalloc (in libascendcl.so)\n  n1: 4096 0x40100A: step (train.cpp:10)\n   n0: 4096 0x40100B: main (train.cpp:11)\n"
        ), "{text}");
    }

    #[test]
    fn many_changes_become_few_snapshots_and_the_peak_is_one_of_them() {
        let mut history = history();
        let change = history.changes[0];
        history.changes = (0..10_000)
            .map(|block| Change {
                block,
                size: 1 + (block == 5001) as u64 * 9,
                ..change
            })
            .collect();
        let text = document(&history);
        let count = text.matches("snapshot=").count();
        assert!(count <= MAX_SNAPSHOTS + 2, "{count}");
        assert_eq!(text.matches("heap_tree=peak").count(), 1);
    }
}
