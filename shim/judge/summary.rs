//! The last line: a summary, and the command that shows the rest.

use crate::VENDOR;
use crate::state::limits;
use crate::state::process::Process;
use crate::state::settings;
use aclsan_log::{BlockId, CallSiteId, Mapping};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::stderr;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::evidence::estimate::{self, BlockSample};
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::evidence::summary::Counts;
use aclsan_rules::judge;
use aclsan_rules::trackers::objects::PoolSegment;
use aclsan_sink::file::LinkState;
use std::collections::{HashMap, HashSet};

/// How the process ends.
#[derive(Clone, Copy)]
pub enum End<'a> {
    /// By itself: what is live has leaked, except for what pointers were found to, which does not count as an error.
    Exit {
        /// Blocks to which a scan found pointers.
        reachable: &'a HashSet<BlockId>,
        /// Whether the scan covered all memory: the others are lost.
        is_whole: bool,
    },
    /// At an error or a crash: nobody had the time to release anything.
    Halt,
}

/// Leaks that one finding reports: those of a call and device, dropped by one reset, all reachable or not, all of one
/// pool or of none.
type Group = (CallSiteId, i32, Option<CallSiteId>, bool, Option<Share>);

/// What a pool makes of them; the number of its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Share {
    /// Nothing of the blocks is in use.
    Cache(u64),
    /// A framework's allocator keeps them.
    Allocator,
    /// Parts in use; whether the program itself reported the pool.
    Parts(u64, bool),
}

/// Prints the summary, unless `aclsan run` does, and whether the log is lost.
pub fn summarize(process: &Process, end: End) {
    let _uncancelled = CancelGuard::enter();
    process.log.sink.write_lost_counts();
    for sentence in limits::take_sentences() {
        stderr::warning(&sentence);
    }
    if stderr::is_quiet() {
        return;
    }
    let rest = log_command(process);
    if !settings::current().summary {
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
    if let End::Exit {
        reachable,
        is_whole,
    } = end
    {
        add_leaks(process, (reachable, is_whole), &mut counts);
    }
    let line = match process.options.block_sample {
        0 => counts.line(),
        _ => counts.estimated_line(),
    };
    stderr::print_lines(&format!("{line}{rest}"));
}

/// Counts leaks as the report does: a finding for each group, unless it follows from a wrong release that the runtime refused.
fn add_leaks(
    process: &Process,
    (reachable, is_whole): (&HashSet<BlockId>, bool),
    counts: &mut Counts,
) {
    let mut groups: HashMap<Group, (Block, u64, u64)> = HashMap::new();
    let sample = BlockSample::new(process.options.block_sample);
    let mut count = |block: &Block, reset: Option<CallSiteId>, share: Option<Share>| {
        let is_cache = matches!(share, Some(Share::Cache(_) | Share::Allocator));
        // Parts of pools are all recorded.
        let sample = sample.filter(|_| !matches!(share, Some(Share::Parts(..))));
        let size = sample.map_or(block.size, |sample| sample.bytes(block));
        if block.family().is_memory() && !is_cache {
            let (bytes, blocks) = counts.leaked;
            let alike = sample.map_or(1, |_| estimate::blocks(block, size));
            counts.leaked = (bytes.saturating_add(size), blocks + alike);
        }
        if process.judge.finding_counts.has_keeper(block.id) {
            return;
        }
        let site = match share {
            Some(Share::Cache(_)) => CallSiteId(0),
            _ => block.site,
        };
        let is_reachable = reachable.contains(&block.id);
        let key = (site, block.device, reset, is_reachable, share);
        let (_, blocks, bytes) = groups.entry(key).or_insert((*block, 0, 0));
        (*blocks, *bytes) = (*blocks + 1, bytes.saturating_add(block.size));
    };
    let cached = pinned_caches(process);
    let segments = pool_segments(process);
    let mut add = |block: &Block, reset: Option<CallSiteId>| {
        if process.heap.ignored.contains(block.id) {
            return;
        }
        let is_kept = process.judge.finding_counts.has_keeper(block.id);
        let segment = segments.get(&block.id);
        match segment.filter(|_| !is_kept) {
            None => {
                let is_cached = block.family() == Family::Pinned && cached.contains(&block.site);
                count(block, reset, is_cached.then_some(Share::Allocator));
            }
            // With a scan that found no pointer, the report calls the block lost.
            Some(segment) if segment.live.is_empty() => {
                let is_cache = !is_whole || reachable.contains(&block.id);
                count(block, reset, is_cache.then_some(Share::Cache(segment.name)));
            }
            Some(segment) => {
                for part in &segment.live {
                    let part_as_block = Block {
                        address: part.address,
                        size: part.size,
                        site: part.site,
                        ..*block
                    };
                    let share = Share::Parts(segment.name, segment.is_own);
                    count(&part_as_block, reset, Some(share));
                }
            }
        }
    };
    let live = &process.heap.live;
    live.for_each_live(|key, entry| add(&entry.block(key), None));
    let devices = &process.heap.devices;
    devices.for_each_dropped(|block, reset| add(block, Some(reset)));
    let is_certain = counts.dropped_events == 0;
    let (mut warnings, mut notes) = counts.others.unwrap_or_default();
    for ((_, _, reset, is_reachable, share), (block, blocks, bytes)) in groups {
        let hold = match is_reachable {
            true => Reachability::Reachable,
            false => Reachability::Unknown,
        };
        let (sum, hold) = ((blocks, bytes), (hold, Mapping::Unknown));
        let found = match share {
            None => judge::leak(&block, sum, reset, (hold, None)),
            Some(Share::Cache(_)) => judge::cached(&block, sum, reset, ""),
            Some(Share::Allocator) => judge::kept_by(&block, sum, reset, ""),
            Some(Share::Parts(_, is_own)) => {
                judge::sub_block_leak(&block, sum, reset, hold, ("", is_own))
            }
        };
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

/// What pools make of their blocks: a copy, as other threads wait for the lock of objects.
fn pool_segments(process: &Process) -> HashMap<BlockId, PoolSegment> {
    let objects = process.judge.objects.lock();
    let mut segments = HashMap::new();
    let mut copy = |block: &Block| {
        if let Some(segment) = objects.pool_segment(block) {
            segments.insert(block.id, segment);
        }
    };
    let heap = &process.heap;
    heap.live
        .for_each_live(|key, entry| copy(&entry.block(key)));
    heap.devices.for_each_dropped(|block, _| copy(block));
    segments
}

/// The call sites of page-locked memory that an allocator of a framework keeps. Call with no lock held.
fn pinned_caches(process: &Process) -> HashSet<CallSiteId> {
    let mut sites = HashSet::new();
    process.heap.live.for_each_live(|key, entry| {
        let block = entry.block(key);
        if block.family() == Family::Pinned {
            sites.insert(block.site);
        }
    });
    sites.retain(|&site| is_of_pinned_cache(process, site).unwrap_or(false));
    sites
}

fn is_of_pinned_cache(process: &Process, site: CallSiteId) -> Option<bool> {
    let site = process.log.call_sites.get(site)?;
    let module = process.code.modules.at(*site.frames.first()?)?;
    let file = module.path.rsplit('/').next()?;
    Some((VENDOR.pinned_cache)(file).is_some())
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
