//! Redzone checks: at the release of a block, and in between where a redzone may just have been overwritten.
//!
//! Checking device memory costs a runtime call, so checks in between are few: the target of some blocking copies, and the blocks named last
//! after some synchronizations. Host memory is checked more often. Never on a thread that may have no context, never during a graph
//! capture: see [`aclsan_guards`].

use super::{device, guard_page};
use crate::judge::ask_rules;
use crate::record::Recorder;
use crate::state::limits::Limit;
use crate::state::process::Process;
use aclsan_guards::left_redzone;
use aclsan_guards::redzone::{self, Mismatch};
use aclsan_log::Event;
use aclsan_options::Guard;
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::corruption::Corruption;
use aclsan_rules::evidence::recent_writers::{NEIGHBOR_DISTANCE, WriterHints};
use aclsan_rules::judge;
use aclsan_rules::trackers::guard_page_faults::may_report_fault;
use aclsan_tables::live::{Entry, State};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Blocks that one call checks at most.
const MAX_CHECKED: usize = 10_000;
/// Blocks that are checked after a synchronization at most.
const MAX_CHECKED_AFTER_SYNC: usize = 4;
/// Blocks with a guard page that are checked when the device reports an error, at most.
const MAX_CHECKED_AT_FAULT: usize = 64;
/// One in this many blocking copies to a device is followed by a check.
const COPIES_PER_CHECK: u64 = 16;
/// This many synchronizations are followed by checks at first, then one in this many.
const FIRST_SYNCS: u64 = 16;

/// Notes that a call was passed `address` to write to.
#[inline(always)]
pub fn note_writer(recorder: &Recorder, call: &Call, address: u64) {
    let process = recorder.process;
    if process.options.guard() != Guard::Off
        && let AddressInfo::Live(block, _) = process.heap.live.place(address)
    {
        recent_writers(process, |writers| writers.named(&block, call.site));
    }
}

fn recent_writers<T>(
    process: &Process,
    work: impl FnOnce(&mut aclsan_rules::evidence::recent_writers::RecentWriters) -> T,
) -> T {
    work(&mut process.heap.recent_writers.lock())
}

/// Checks the target after a successful blocking copy or memset.
#[inline(always)]
pub fn check_after_copy(recorder: &mut Recorder, call: &Call, address: u64) {
    let process = recorder.process;
    if process.options.guard() == Guard::Off {
        return;
    }
    let AddressInfo::Live(block, _) = process.heap.live.place(address) else {
        return;
    };
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let is_turn = || {
        COPIES
            .fetch_add(1, Relaxed)
            .is_multiple_of(COPIES_PER_CHECK)
    };
    if block.family().is_host() || is_turn() {
        check_block(recorder, call, block.address);
    }
}

/// Checks the blocks named last, after the host has successfully waited for queued work.
#[inline(always)]
pub fn check_after_sync(recorder: &mut Recorder, call: &Call) {
    if recorder.process.options.guard() == Guard::Off {
        return;
    }
    static WAITS: AtomicU64 = AtomicU64::new(0);
    let wait = WAITS.fetch_add(1, Relaxed);
    if wait >= FIRST_SYNCS && !wait.is_multiple_of(FIRST_SYNCS) {
        return;
    }
    for address in recent_writers(recorder.process, |writers| {
        writers.latest(MAX_CHECKED_AFTER_SYNC)
    }) {
        let entry = recorder.process.heap.live.get(address);
        let device = recorder.thread.device;
        if entry.is_some_and(|entry| entry.is_host() || device == Some(entry.device.into())) {
            check_block(recorder, call, address);
        }
    }
}

/// Checks all blocks that this thread can reach and `is_meant` selects; returns how many were corrupted.
#[cold]
pub fn check_all(recorder: &mut Recorder, call: &Call, is_meant: impl Fn(&Block) -> bool) -> usize {
    let (mut starts, mut left_out) = (Vec::new(), 0);
    recorder.process.heap.live.for_each_live(|address, entry| {
        if is_guarded(address, entry) && is_meant(&entry.block(address)) {
            match starts.len() < MAX_CHECKED {
                true => starts.push(address),
                false => left_out += 1,
            }
        }
    });
    if left_out > 0 {
        Limit::Redzones.leave_out(left_out);
    }
    starts.sort_unstable();
    starts
        .into_iter()
        .filter(|&address| check_block(recorder, call, address))
        .count()
}

/// Like [`check_all`], before blocks become unreachable: at exit, finalization or a device reset.
pub fn final_check(recorder: &mut Recorder, is_meant: impl Fn(&Block) -> bool) {
    if recorder.process.options.guard() != Guard::Off {
        let call = recorder.call(0);
        check_all(recorder, &call, is_meant);
    }
}

/// Checks the redzones of blocks with a guard page, before a call that returned a device error is recorded. Whoever ran into the guard page
/// also wrote the redzone.
pub fn check_before_report(recorder: &mut Recorder, status: i32) {
    if status == 0
        || recorder.process.guards.pages.is_empty()
        || !recorder.vendor().faults.is_possible(status)
    {
        return;
    }
    let call = recorder.call(0);
    if may_report_fault(call.function) {
        check_guarded_blocks(recorder, &call);
    }
}

/// Like [`check_before_report`], for an asynchronous copy or memset that the runtime refused.
pub fn check_before_refusal(recorder: &mut Recorder, call: &Call, status: i32) {
    let has_any = !recorder.process.guards.pages.is_empty();
    if has_any && call.function.is_async && call.function.vendor().faults.is_trap(status) {
        check_guarded_blocks(recorder, call);
    }
}

#[cold]
fn check_guarded_blocks(recorder: &mut Recorder, call: &Call) {
    let process = recorder.process;
    let Some(here) = recorder.thread.device else {
        return;
    };
    let starts = process.guards.pages.of_device(here);
    for &address in starts.iter().rev().take(MAX_CHECKED_AT_FAULT) {
        let entry = process.heap.live.get(address);
        let is_patterned =
            |entry: &Entry| entry.state == State::Live && (entry.guard > 0 || entry.slack > 0);
        let Some(entry) = entry.filter(is_patterned) else {
            continue;
        };
        match redzone::compare(&device(process), address, &entry) {
            Some(Some(_)) => {
                check_block(recorder, call, address);
            }
            Some(None) => {}
            // The device no longer responds.
            None => return,
        }
    }
}

fn is_guarded(address: u64, entry: &Entry) -> bool {
    let has_pattern = entry.guard > 0 || entry.slack > 0 || left_redzone::is_watched(address);
    has_pattern && entry.state == State::Live
}

/// Checks the redzones of the live block that starts at `address`; `true` if one is corrupted. Skipped on a thread without a context, where
/// the runtime would refuse the copy; host memory is read without the runtime.
pub fn check_block(recorder: &mut Recorder, call: &Call, address: u64) -> bool {
    let live = &recorder.process.heap.live;
    let Some(entry) = live.get(address).filter(|entry| is_guarded(address, entry)) else {
        return false;
    };
    // Another thread may release the block meanwhile, and what is read then may be another block's. Releases are recorded before they are
    // made: a block that is live afterwards was live all the time.
    let is_still_live = || {
        let now = live.get(address);
        now.is_some_and(|now| now.id == entry.id && now.state == State::Live)
    };
    compare_redzones(recorder, call, address, &entry, is_still_live)
}

/// Like [`check_block`], for a block that this thread is about to release.
#[inline(always)]
pub fn check_entry(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry) -> bool {
    is_guarded(address, entry) && compare_redzones(recorder, call, address, entry, || true)
}

/// Compares the redzones of a block; a difference counts only if the bytes were still the block's, of which `is_still_live` is asked afterwards.
fn compare_redzones(
    recorder: &mut Recorder,
    call: &Call,
    address: u64,
    entry: &Entry,
    is_still_live: impl FnOnce() -> bool,
) -> bool {
    let process = recorder.process;
    let device = recorder.thread.device;
    if !entry.is_host() && device.is_none() {
        return false;
    }
    let runtime = super::device(process);
    let left = left_redzone::compare(&runtime, address, entry);
    let right = redzone::compare(&runtime, address, entry);
    if left.is_none() && right.is_none() {
        return false;
    }
    let mismatches = [left.flatten(), right.flatten()];
    if mismatches.iter().all(Option::is_none) {
        recent_writers(process, |writers| writers.clear_block(entry.id));
        return false;
    }
    if !is_still_live() {
        return false;
    }
    for mismatch in mismatches.iter().flatten() {
        report(recorder, call, address, entry, mismatch);
    }
    // Reported once: later checks must not repeat it.
    left_redzone::reported(address);
    process
        .heap
        .live
        .update(address, |entry| (entry.guard, entry.slack) = (0, 0));
    true
}

fn report(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry, mismatch: &Mismatch) {
    let process = recorder.process;
    let &Mismatch {
        offset,
        extent,
        found,
    } = mismatch;
    recorder.event(&Event::Damage {
        block: entry.id,
        site: call.site,
        offset,
        extent,
        found,
    });
    guard_page::on_corruption(recorder, address, call.site);
    let block: Block = entry.block(address);
    let damage = Corruption {
        block: &block,
        slack: entry.slack.into(),
        offset,
        extent,
        found: &found,
        witness: &writer_hints(process, &block),
    };
    ask_rules(recorder, |_| judge::corruption(call, &damage));
}

fn writer_hints(process: &Process, block: &Block) -> WriterHints {
    let (before, after) = process.heap.live.neighbors(block, NEIGHBOR_DISTANCE);
    recent_writers(process, |writers| writers.hints(block, before, after))
}
