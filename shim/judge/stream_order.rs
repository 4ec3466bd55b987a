//! The shim's side of stream order: forwards recorded facts in the words of the log, and reports at the call what replay would find in the
//! log.
//!
//! The lock is held only while the order is computed. The object tracker's lock may be taken inside it, never the reverse.

use super::{ask_rules, host_access, host_access::name_range, is_reporting, objects::with_objects};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_log::branch::unlikely;
use aclsan_log::record::Access;
use aclsan_log::{CallSiteId, Values};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::operation::{Copy, Copy2d, Memset, RangeUse};
use aclsan_rules::trackers::objects::HeapView;
use aclsan_rules::trackers::stream_order::RaceDetector;
use std::sync::atomic::Ordering::Relaxed;

/// The queries that the stream order may make; in a reserved range, they see what is mapped there.
struct ResolvedScene<'a>(&'a Process);

impl HeapView for ResolvedScene<'_> {
    fn place(&self, address: u64) -> AddressInfo {
        match self.0.heap.live.place(address) {
            place @ AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
                with_objects(self.0, |objects| objects.resolve(address, place))
            }
            place => place,
        }
    }

    fn profile(&self) -> Profile {
        self.0.heap.devices.profile()
    }
}

/// A call was recorded with these values.
#[inline(always)]
pub fn called(recorder: &Recorder, call: &Call, values: &Values, status: i32) {
    // Traps are reports, too.
    let is_ordered = !call.function.is_unordered() || status != 0;
    let is_followed = is_ordered || recorder.process.judge.traps_host_access;
    if is_followed && is_reporting(recorder.process) {
        on_call(recorder, call, values, status);
    }
}

/// The call returned an error, possibly the device's.
#[cold]
pub fn faulted(recorder: &Recorder, call: &Call, values: &Values, status: i32) {
    ask(recorder, |order, _, scene| {
        order.fault(call, values, status, scene)
    });
}

/// A block or handle was made. Memory is irrelevant until something is queued on it.
pub fn made(recorder: &Recorder, call: &Call, block: &Block) {
    if matches!(
        block.family(),
        Family::Stream
            | Family::Event
            | Family::Registered
            | Family::CountNotify
            | Family::Exported
    ) {
        ask(recorder, |order, _, _| {
            order.made(call, block);
            None
        });
    }
}

/// A block or handle is about to be released. Memory on which nothing was queued is skipped, unless the release waits for the device.
#[inline(always)]
pub fn releasing(recorder: &Recorder, call: &Call, block: impl FnOnce() -> Block) {
    let is_idle = !recorder.process.judge.order_follows_blocks.load(Relaxed)
        && !call.function.waits_for_device();
    let is_memory = call.family().is_some_and(Family::is_memory);
    let is_watched = recorder.process.judge.traps_host_access;
    if !(is_idle && is_memory) || is_watched {
        let block = block();
        if is_watched {
            host_access::release(recorder.process, &block);
        }
        ask(recorder, |order, thread, _| {
            order.releasing(call, &block, thread)
        });
    }
}

/// The call is about to access a range.
pub fn uses(recorder: &Recorder, call: &Call, used: &RangeUse, place: &AddressInfo, stream: u64) {
    if recorder.process.judge.traps_host_access {
        name_range(recorder, call, (used.address, used.size), used.access);
    }
    ask(recorder, |order, thread, _| {
        order.uses(call, used, place, stream, thread);
        None
    });
}

/// A copy between these places is about to run or be queued.
#[inline(always)]
pub fn copy(recorder: &Recorder, call: &Call, copy: &Copy, places: [&AddressInfo; 2], stream: u64) {
    if recorder.process.judge.traps_host_access {
        name_range(recorder, call, (copy.to, copy.count), Access::Write);
        name_range(recorder, call, (copy.from, copy.count), Access::Read);
    }
    ask(recorder, |order, thread, _| {
        order.copy(call, copy, places, stream, thread)
    });
}

/// As [`copy`], for a copy of rows.
pub fn copy_2d(
    recorder: &Recorder,
    call: &Call,
    copy: &Copy2d,
    places: [&AddressInfo; 2],
    stream: u64,
) {
    if recorder.process.judge.traps_host_access {
        let reach = |pitch: u64| pitch.saturating_mul(copy.height);
        name_range(
            recorder,
            call,
            (copy.to, reach(copy.to_pitch)),
            Access::Write,
        );
        name_range(
            recorder,
            call,
            (copy.from, reach(copy.from_pitch)),
            Access::Read,
        );
    }
    ask(recorder, |order, thread, _| {
        order.copy_2d(call, copy, places, stream, thread)
    });
}

/// As [`copy`], for a fill.
pub fn set(recorder: &Recorder, call: &Call, set: &Memset, to: &AddressInfo, stream: u64) {
    if recorder.process.judge.traps_host_access {
        name_range(recorder, call, (set.to, set.count), Access::Write);
    }
    ask(recorder, |order, thread, _| {
        order.set(call, set, to, stream, thread)
    });
}

/// The CPU accesses a range; `place` is what its first address is.
pub fn host_access(recorder: &Recorder, call: &Call, used: &RangeUse, place: &AddressInfo) {
    ask(recorder, |order, _, _| order.host_access(call, used, place));
}

/// The last operation of this thread at `site` failed.
#[cold]
pub fn failed(recorder: &Recorder, site: CallSiteId) {
    ask(recorder, |order, thread, _| {
        order.refused(site, thread);
        None
    });
}

/// The copy or fill was refused with an error, possibly the device's.
#[cold]
pub fn faulted_early(recorder: &Recorder, call: &Call, stream: u64, status: i32) {
    ask(recorder, |order, _, scene| {
        order.fault_of_refused(call, stream, status, scene)
    });
}

/// The last reset of a device dropped its memory.
pub fn reset(recorder: &Recorder, device: i32) {
    ask(recorder, |order, _, _| {
        order.reset(device);
        None
    });
}

#[inline(never)]
fn on_call(recorder: &Recorder, call: &Call, values: &Values, status: i32) {
    let process = recorder.process;
    let is_ordered = !call.function.is_unordered() || status != 0;
    if is_ordered && process.judge.judges_order && !is_plan_without_tensors(recorder, call, status)
    {
        // Not by `ask`: dropping the iterator of a vector is a call.
        let found = with_order(process, |order| {
            let (thread, scene) = (recorder.thread.tid, ResolvedScene(process));
            let found = order.called(call, values, status, thread, &scene);
            if RaceDetector::is_about_tensors(call.function) {
                let follows_tensors = &process.judge.order_follows_tensors;
                follows_tensors.store(order.follows_tensors(), Relaxed);
            }
            found
        });
        match unlikely(found.capacity() > 0) {
            true => report(recorder, found.into_iter()),
            false => std::mem::forget(found), // Nothing to free, and nothing that asks whether there is.
        }
    }
    if unlikely(process.judge.traps_host_access) {
        host_access::end_queued(recorder, status == 0);
    }
}

/// Whether an operator is planned while there are no tensors that it may use: frameworks run out of their caches.
#[inline(always)]
fn is_plan_without_tensors(recorder: &Recorder, call: &Call, status: i32) -> bool {
    let follows_tensors = || recorder.process.judge.order_follows_tensors.load(Relaxed);
    call.function.is_phase_one() && status == 0 && !follows_tensors()
}

/// Asks the order and reports its findings. Not asked when nothing is reported, like rules.
#[inline(always)]
fn ask<F: IntoIterator<Item = Finding>>(
    recorder: &Recorder,
    question: impl FnOnce(&mut RaceDetector, u32, &dyn HeapView) -> F,
) {
    let process = recorder.process;
    if !process.judge.judges_order || !is_reporting(process) {
        return;
    }
    let tid = recorder.thread.tid;
    let found = with_order(process, |order| {
        question(order, tid, &ResolvedScene(process))
    });
    let found = found.into_iter();
    if found.size_hint().1 != Some(0) {
        report(recorder, found);
    }
}

// Not inlined: what a hook runs otherwise is in fewer cache lines.
#[cold]
#[inline(never)]
fn report(recorder: &Recorder, found: impl Iterator<Item = Finding>) {
    ask_rules(recorder, |_| found);
}

/// Runs `work` with the stream order locked. Call with no lock held if host memory is watched.
#[inline(always)]
fn with_order<T>(process: &Process, work: impl FnOnce(&mut RaceDetector) -> T) -> T {
    let (result, host_version) = with_order_alone(process, work);
    if unlikely(process.judge.traps_host_access) {
        host_access::open_finished(process, host_version);
    }
    result
}

/// Recording was stopped: what was queued is forgotten. Leaves watched pages as they are.
pub fn forget_queued(process: &Process) {
    with_order_alone(process, RaceDetector::forget_queued);
}

/// Runs `work` with the stream order locked; what the host knows then, too.
#[inline(always)]
fn with_order_alone<T>(process: &Process, work: impl FnOnce(&mut RaceDetector) -> T) -> (T, u64) {
    let mut order = process.judge.order.lock();
    let result = work(&mut order);
    process
        .judge
        .order_follows_blocks
        .store(order.wants_blocks(), Relaxed);
    (result, order.host_version())
}
