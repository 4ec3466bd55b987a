//! The last lines: where the log is, and a summary.

use crate::state::process::Process;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::stderr;
use aclsan_rules::api::block::Block;
use aclsan_sink::file::LinkState;

/// Prints where the log is, and the summary.
pub fn summarize(process: &Process) {
    let _uncancelled = CancelGuard::enter();
    process.log.sink.write_lost_counts();
    let (mut blocks, mut bytes) = (0u64, 0u64);
    let mut count = |block: &Block| {
        if block.family().is_memory() && !process.heap.ignored.contains(block.id) {
            (blocks, bytes) = (blocks + 1, bytes.saturating_add(block.size));
        }
    };
    process
        .heap
        .live
        .for_each_live(|key, entry| count(&entry.block(key)));
    process.heap.devices.for_each_dropped(count);
    let ([notes, warnings, errors], unknown) = process.judge.finding_counts.totals();
    let dropped = process.log.sink.dropped();
    if let Some(file) = process.log.sink.file() {
        let path = file.path().display();
        stderr::print_lines(&match file.link_state() {
            LinkState::Same => {
                format!("aclsan: the event log is `{path}`: aclsan report shows it")
            }
            LinkState::Removed => format!(
                "aclsan: the event log was `{path}`, which no longer exists: it was removed or moved, or this process has another root"
            ),
            LinkState::Replaced => format!(
                "aclsan: the event log was `{path}`, and another file has that name now: the log was removed or moved"
            ),
        });
    }
    stderr::print_lines(&format!(
        "SUMMARY: aclsan: {errors} errors, {warnings} warnings, {notes} notes; {bytes} bytes in {blocks} blocks leaked; \
         {unknown} unknown-origin pointers; {dropped} events dropped"
    ));
}
