//! When guards are looked at: at the release of a block, and between times where somebody may just have overwritten one.
//!
//! Device memory costs a call of the runtime's for each look, so looks between times are few: after some blocking copies the block
//! copied to, after some synchronisations the blocks that were named last. Host memory is looked at more often. Never on a thread that
//! may have no context, never during a capture: see [`aclsan_guards`].

use super::{device, guard_page};
use crate::judge::Judge;
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_guards::left_redzone;
use aclsan_guards::redzone::{self, Mismatch};
use aclsan_log::Event;
use aclsan_options::Guard;
use aclsan_rules::damage::Damage;
use aclsan_rules::fences::surfaces_in;
use aclsan_rules::rules::page_fault;
use aclsan_rules::suspects::{NEAR, Witness};
use aclsan_rules::{Block, Call, Place, judge};
use aclsan_tables::live::{Entry, State};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most guards that are looked at by one call.
const MAX_CHECKED: usize = 10_000;
/// The most that are looked at after a synchronisation.
const MAX_CHECKED_AFTER_SYNC: usize = 4;
/// Blocks with a guard page whose patterns are looked at when the device reports an error.
const MAX_CHECKED_AT_FAULT: usize = 64;
/// One blocking copy to a device in so many is followed by a look.
const COPIES_PER_CHECK: u64 = 16;
/// So many synchronisations are followed by looks, then one in so many.
const FIRST_SYNCS: u64 = 16;

/// A call has been handed `address` to write to.
#[inline(always)]
pub fn note_writer(recorder: &Recorder, call: &Call, address: u64) {
    let process = recorder.process;
    if process.options.guard() != Guard::Off
        && let Place::Live(block, _) = process.heap.live.place(address)
    {
        recent_writers(process, |writers| writers.named(&block, call.site));
    }
}

fn recent_writers<T>(
    process: &Process,
    work: impl FnOnce(&mut aclsan_rules::suspects::Suspects) -> T,
) -> T {
    work(
        &mut process
            .heap
            .suspects
            .lock()
            .unwrap_or_else(PoisonError::into_inner),
    )
}

/// A blocking copy or fill to `address` has succeeded.
#[inline(always)]
pub fn check_after_copy(recorder: &mut Recorder, call: &Call, address: u64) {
    let process = recorder.process;
    if process.options.guard() == Guard::Off {
        return;
    }
    let Place::Live(block, _) = process.heap.live.place(address) else {
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

/// The host has waited, with success, for work to be done.
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

/// Looks at the guards of all blocks within the thread's reach for which `is_meant` holds; how many were damaged.
#[cold]
pub fn check_all(recorder: &mut Recorder, call: &Call, is_meant: impl Fn(&Block) -> bool) -> usize {
    let mut starts = Vec::new();
    recorder.process.heap.live.for_each_live(|address, entry| {
        if is_guarded(address, entry)
            && starts.len() < MAX_CHECKED
            && is_meant(&entry.block(address))
        {
            starts.push(address);
        }
    });
    starts.sort_unstable();
    starts
        .into_iter()
        .filter(|&address| check_block(recorder, call, address))
        .count()
}

/// As [`check_all`], before something ends.
pub fn final_check(recorder: &mut Recorder, is_meant: impl Fn(&Block) -> bool) {
    if recorder.process.options.guard() != Guard::Off {
        let call = recorder.call(0);
        check_all(recorder, &call, is_meant);
    }
}

/// Before a call that found an error of the device is put on record: looks at the patterns after blocks with a guard page. Whoever ran over
/// an end wrote there, too.
pub fn check_before_report(recorder: &mut Recorder, status: i32) {
    if status == 0 || recorder.process.guards.pages.is_empty() || !page_fault::is_possible(status) {
        return;
    }
    let call = recorder.call(0);
    if surfaces_in(call.function.name) {
        check_guarded_blocks(recorder, &call);
    }
}

/// As [`check_before_report`], for a copy or fill that was to be queued and was refused.
pub fn check_before_refusal(recorder: &mut Recorder, call: &Call, status: i32) {
    let has_any = !recorder.process.guards.pages.is_empty();
    if has_any && call.function.is_async && page_fault::is_trap(status) {
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
            // The device answers nothing any more.
            None => return,
        }
    }
}

fn is_guarded(address: u64, entry: &Entry) -> bool {
    let has_pattern = entry.guard > 0 || entry.slack > 0 || left_redzone::is_watched(address);
    has_pattern && entry.state == State::Live
}

/// Compares what lies behind and before the live block that starts at `address` with its pattern; `true` if they differ. Nothing is done where the
/// runtime would refuse the copy: host memory is read without it.
pub fn check_block(recorder: &mut Recorder, call: &Call, address: u64) -> bool {
    let entry = recorder.process.heap.live.get(address);
    entry.is_some_and(|entry| check_entry(recorder, call, address, &entry))
}

/// The same, where the table has just been asked.
#[inline(always)]
pub fn check_entry(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry) -> bool {
    is_guarded(address, entry) && compare_redzones(recorder, call, address, entry)
}

fn compare_redzones(recorder: &mut Recorder, call: &Call, address: u64, entry: &Entry) -> bool {
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
        recent_writers(process, |writers| writers.cleared(entry.id));
        return false;
    }
    for mismatch in mismatches.iter().flatten() {
        report(recorder, call, address, entry, mismatch);
    }
    // Told once: a later look must not tell it again.
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
    let damage = Damage {
        block: &block,
        slack: entry.slack.into(),
        offset,
        extent,
        found: &found,
        witness: &writer_hints(process, &block),
    };
    recorder.judge(|_| judge::damage(call, &damage));
}

fn writer_hints(process: &Process, block: &Block) -> Witness {
    let (before, after) = process.heap.live.neighbours(block, NEAR);
    recent_writers(process, |writers| writers.witness(block, before, after))
}
