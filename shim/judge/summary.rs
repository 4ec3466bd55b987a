//! The last line: a summary, and the command that shows the rest.

use crate::state::process::Process;
use aclsan_log::{BlockId, CallSiteId, Mapping};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::stderr;
use aclsan_rules::api::block::Block;
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::evidence::summary::Counts;
use aclsan_rules::judge;
use aclsan_sink::file::LinkState;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;

/// How the process ends.
#[derive(Clone, Copy)]
pub enum End<'a> {
    /// By itself: what is live has leaked, except for what pointers were found to, which does not count as an error.
    Exit {
        /// Blocks to which a scan found pointers.
        reachable: &'a HashSet<BlockId>,
    },
    /// At an error or a crash: nobody had the time to release anything.
    Halt,
}

/// Leaks that one finding reports: those of a call and device, dropped by one reset, all reachable or not.
type Group = (CallSiteId, i32, Option<CallSiteId>, bool);

/// Prints the summary, unless `aclsan run` does, and whether the log is lost.
pub fn summarize(process: &Process, end: End) {
    let _uncancelled = CancelGuard::enter();
    process.log.sink.write_lost_counts();
    let unprotected = process.host.unprotected.load(Relaxed);
    let unwatched = process.host.unwatched.load(Relaxed);
    if unprotected + unwatched > 0 {
        stderr::warning(&format!(
            "option `host_access`: {unprotected} blocks of host memory could not be protected, and {unwatched} copies were too many to watch"
        ));
    }
    if stderr::is_quiet() {
        return;
    }
    let rest = log_command(process);
    if !process.options.summary {
        return;
    }
    let ([notes, warnings, errors], unknown) = process.judge.finding_counts.totals();
    let mut counts = Counts {
        errors,
        others: Some((warnings, notes)),
        unknown_pointers: unknown as u64,
        dropped_events: process.log.sink.dropped(),
        ..Counts::default()
    };
    if let End::Exit { reachable } = end {
        add_leaks(process, reachable, &mut counts);
    }
    stderr::print_lines(&format!("{}{rest}", counts.line()));
}

/// Counts leaks as the report does: a finding for each group, unless it follows from a wrong release that the runtime refused.
fn add_leaks(process: &Process, reachable: &HashSet<BlockId>, counts: &mut Counts) {
    let mut groups: HashMap<Group, (Block, u64, u64)> = HashMap::new();
    let mut add = |block: &Block, reset: Option<CallSiteId>| {
        if process.heap.ignored.contains(block.id) {
            return;
        }
        if block.family().is_memory() {
            let (bytes, blocks) = counts.leaked;
            counts.leaked = (bytes.saturating_add(block.size), blocks + 1);
        }
        if process.judge.finding_counts.has_keeper(block.id) {
            return;
        }
        let key = (
            block.site,
            block.device,
            reset,
            reachable.contains(&block.id),
        );
        let (_, blocks, bytes) = groups.entry(key).or_insert((*block, 0, 0));
        (*blocks, *bytes) = (*blocks + 1, bytes.saturating_add(block.size));
    };
    let live = &process.heap.live;
    live.for_each_live(|key, entry| add(&entry.block(key), None));
    let devices = &process.heap.devices;
    devices.for_each_dropped(|block, reset| add(block, Some(reset)));
    let is_certain = counts.dropped_events == 0;
    let (mut warnings, mut notes) = counts.others.unwrap_or_default();
    for ((_, _, reset, is_reachable), (block, blocks, bytes)) in groups {
        let hold = match is_reachable {
            true => Reachability::Reachable,
            false => Reachability::Unknown,
        };
        let found = judge::leak(&block, (blocks, bytes), reset, (hold, Mapping::Unknown));
        use aclsan_rules::evidence::rule::Severity::{Error, Note, Warning};
        match found.map(|found| found.severity) {
            Some(Error) if is_certain => counts.errors += 1,
            // A release may be among the events that were not recorded.
            Some(Error | Warning) => warnings += 1,
            Some(Note) => notes += 1,
            None => {}
        }
    }
    counts.others = Some((warnings, notes));
}

/// The end of the last line: the command that shows the rest. A log that is lost is named in a line of its own.
fn log_command(process: &Process) -> String {
    let Some(file) = process.log.sink.file() else {
        return String::new();
    };
    let path = file.path().display();
    let lost = match file.link_state() {
        LinkState::Same => return format!("; `aclsan report {path}` shows the rest"),
        LinkState::Removed => format!(
            "aclsan: the event log was `{path}`, which no longer exists: it was removed or moved, or this process has another root"
        ),
        LinkState::Replaced => format!(
            "aclsan: the event log was `{path}`, and another file has that name now: the log was removed or moved"
        ),
    };
    stderr::print_lines(&lost);
    String::new()
}
