//! What rules hear of fenced blocks and of the work that is queued, and the look at patterns when the device reports an error.

use super::ranges::settle;
use crate::guard;
use crate::inspection;
use crate::judge::is_reporting;
use crate::live::{Entry, State};
use crate::process::Process;
use crate::record::Recorder;
use aclsan_log::{SiteId, Values};
use aclsan_rules::fences::surfaces_in;
use aclsan_rules::rules::page_fault;
use aclsan_rules::{Call, Finding};
use std::sync::atomic::Ordering::Relaxed;

/// Fenced blocks whose patterns are looked at when the device reports an error.
const LOOKED_AT_MOST: usize = 64;

/// Whether rules are to hear of calls.
#[inline(always)]
fn is_followed(process: &Process) -> bool {
    process.fences.any.load(Relaxed) && is_reporting(process)
}

/// Before a call that found an error of the device is put on record: looks at the patterns behind fenced blocks. Whoever ran over an end
/// wrote there, too.
pub fn before_report(recorder: &mut Recorder, status: i32) {
    let fences = &recorder.process.fences;
    if status == 0 || fences.count.load(Relaxed) == 0 || !page_fault::is_possible(status) {
        return;
    }
    let call = recorder.call(0);
    if surfaces_in(call.function.name) {
        look(recorder, &call);
    }
}

/// A copy or fill that was to be queued on `stream` was refused.
pub fn refused(recorder: &mut Recorder, call: &Call, stream: u64, status: i32) -> Option<Finding> {
    if !is_followed(recorder.process) {
        return None;
    }
    let mut rules = recorder.process.fences.rules();
    rules.refused(call, stream, status)
}

/// As [`before_report`], for such a copy.
pub fn before_refusal(recorder: &mut Recorder, call: &Call, status: i32) {
    let has_any = recorder.process.fences.count.load(Relaxed) > 0;
    if has_any && call.function.is_async && page_fault::is_trap(status) {
        look(recorder, call);
    }
}

#[cold]
fn look(recorder: &mut Recorder, call: &Call) {
    let fences = &recorder.process.fences;
    let Some(device) = recorder.thread.device else {
        return;
    };
    let starts: Vec<u64> = fences.change(|store| {
        let ours = store.live.iter().filter(|(_, f)| f.device == device);
        ours.map(|(&start, _)| start).collect()
    });
    for &address in starts.iter().rev().take(LOOKED_AT_MOST) {
        let entry = recorder.process.live.get(address);
        let is_patterned =
            |entry: &Entry| entry.state == State::Live && (entry.guard > 0 || entry.slack > 0);
        let Some(entry) = entry.filter(is_patterned) else {
            continue;
        };
        match guard::compare(address, &entry) {
            Some(compared) if compared.damage.is_some() => {
                inspection::one(recorder, call, address);
            }
            Some(_) => {}
            // The device answers nothing any more.
            None => return,
        }
    }
}

/// A look has found the bytes behind a block overwritten.
pub fn damaged(recorder: &Recorder, address: u64, site: SiteId) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().damaged(address, site);
    }
}

/// The block that starts at `address` is about to be released.
#[inline(always)]
pub fn released(recorder: &Recorder, address: u64, site: SiteId) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().released(address, site);
    }
}

/// The release was refused.
pub fn kept(recorder: &Recorder, address: u64) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().kept(address);
    }
}

/// A call queues work that is handed these addresses.
#[inline(always)]
pub fn queued(recorder: &Recorder, call: &Call, stream: u64, addresses: &[u64]) {
    if is_followed(recorder.process) {
        let mut rules = recorder.process.fences.rules();
        rules.queued(call, stream, addresses);
    }
}

/// A call was made, with these values.
#[inline(always)]
pub fn called(recorder: &Recorder, call: &Call, values: &Values, status: i32) -> Option<Finding> {
    let process = recorder.process;
    if !process.fences.any.load(Relaxed) {
        return None;
    }
    if status == 0 && process.fences.count.load(Relaxed) > 0 {
        match call.function.name {
            "aclrtSynchronizeStream" | "aclrtSynchronizeStreamWithTimeout" => {
                settle(&process.fences, None, Some(values.get(0)));
            }
            "aclrtSynchronizeDevice" | "aclrtSynchronizeDeviceWithTimeout" => {
                settle(&process.fences, recorder.thread.device, None);
            }
            _ => {}
        }
    }
    if !is_reporting(process) {
        return None;
    }
    process.fences.rules().called(call, values, status)
}
