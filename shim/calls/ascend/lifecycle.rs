//! Initialization and finalization of process and devices, and queries about memory.
//!
//! In calls that initialize or finalize, the runtime may call back a program that registered for it: hooks entered there are recorded.

use crate::abi::{aclError, aclrtContext, aclrtMemAttr, aclrtRunMode};
use crate::calls::actions::{Word, out, record, recorded, written};
use crate::calls::interpose;
use crate::heap::{guard_page, quarantine, record_call, redzone_check};
use crate::judge::{ask_rules, objects, stream_order};
use crate::lifecycle::leak_scan;
use crate::record::Hook;
use crate::state::companion;
use crate::state::process::Process;
use aclsan_guards::left_redzone;
use aclsan_log::{BlockId, Event};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::functions::Role;
use aclsan_rules::judge;
use aclsan_tables::live::Live;
use aclsan_unwind::registers;
use std::collections::HashSet;
use std::ffi::c_char;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

interpose! {
    fn aclInit(config_path: *const c_char) -> aclError = initialized => INIT;
    /// Releases nothing.
    fn aclFinalize() -> aclError = finalized;
    /// Records how many references are left.
    fn aclFinalizeReference(ref_count: *mut u64) -> aclError = finalized_reference (ref_count);
    /// Counts the reference. Setting a device again after a reset reports what the reset dropped.
    fn aclrtSetDevice(device_id: i32) -> aclError = device_set (device_id) => SET_DEVICE;
    /// Counts the reference; the last one drops the device's blocks.
    fn aclrtResetDevice(device_id: i32) -> aclError = device_reset (device_id) => RESET_DEVICE;
    /// Drops the device's blocks.
    fn aclrtResetDeviceForce(device_id: i32) -> aclError = device_reset (device_id);
    /// Records how much memory the runtime reports as free.
    fn aclrtGetMemInfo(attr: aclrtMemAttr, free: *mut usize, total: *mut usize) -> aclError
        = memory_asked (attr, free, total) => GET_MEM_INFO;
    /// Records whether host and device share memory.
    fn aclrtGetRunMode(run_mode: *mut aclrtRunMode) -> aclError = mode_asked (run_mode) => GET_RUN_MODE;
    /// The thread's device is the context's from here on.
    fn aclrtCreateContext(context: *mut aclrtContext, device_id: i32) -> aclError = context_created (context, device_id);
    /// The thread may be without a device from here on.
    fn aclrtDestroyContext(context: aclrtContext) -> aclError = context_destroyed (context);
    /// The thread's device is the context's from here on.
    fn aclrtSetCurrentContext(context: aclrtContext) -> aclError = context_set (context);
}

fn initialized(hook: &Hook, forward: impl FnOnce() -> aclError) -> aclError {
    let status = hook.allow_callbacks(forward);
    Process::current().calls.is_finalized.store(false, Relaxed);
    record(hook, 0, &[], status);
    status
}

/// Pinned memory survives resets: this is the final check. Quarantined blocks go first.
fn before_end(hook: &Hook) {
    if Process::current().options.touches_memory() {
        hook.record(|recorder| {
            redzone_check::final_check(recorder, |block| block.family().is_host());
            quarantine::flush(recorder, -1);
        });
    }
}

fn finalized(hook: &Hook, forward: impl FnOnce() -> aclError) -> aclError {
    let (leaf, saved) = (registers::here(), registers::saved());
    hook.record(|recorder| {
        let events = leak_scan::at_finalize(recorder.process, recorder.thread, leaf, &saved);
        events.iter().for_each(|event| recorder.event(event));
    });
    before_end(hook);
    let status = hook.allow_callbacks(forward);
    if status == 0 {
        Process::current().calls.is_finalized.store(true, Relaxed);
        companion::forget_host_range();
    }
    record(hook, 0, &[], status);
    status
}

fn finalized_reference(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    ref_count: *mut u64,
) -> aclError {
    recorded(
        hook,
        || hook.allow_callbacks(forward),
        |done| [out(ref_count).word(done)],
    )
}

fn device_set(hook: &Hook, forward: impl FnOnce() -> aclError, device_id: i32) -> aclError {
    let status = hook.allow_callbacks(forward);
    hook.record(|recorder| {
        if status == 0 {
            recorder.thread.device = Some(device_id);
        }
        let call = record_call(recorder, 0, &[device_id as u32 as u64], status);
        if status == 0 {
            let (dropped, reset) = recorder.process.heap.devices.on_set(device_id);
            ask_rules(recorder, |_| {
                dropped
                    .values()
                    .filter_map(|block| judge::set_again(block, reset, call.site))
            });
        }
    });
    status
}

fn device_reset(hook: &Hook, forward: impl FnOnce() -> aclError, device_id: i32) -> aclError {
    let is_forced = hook.function.role == Role::ResetDeviceForce;
    let begun = Instant::now();
    // What the device holds before: what another thread allocates while the call runs may be there afterwards.
    let mut held = None;
    hook.record(|recorder| {
        let heap = &recorder.process.heap;
        if heap.devices.is_last_reset(device_id, is_forced) {
            if recorder.thread.device == Some(device_id) {
                recorder.ask_memory();
            }
            held = Some(held_by(&heap.live, device_id));
            redzone_check::final_check(recorder, |block| is_dropped(block, device_id));
        }
        quarantine::flush(recorder, device_id);
    });
    let status = hook.allow_callbacks(forward);
    let was_held = |block: &Block| {
        held.as_ref()
            .is_none_or(|held: &HashSet<_>| held.contains(&block.id))
    };
    hook.record(|recorder| {
        let is_newer = held.as_ref().is_some_and(|held| {
            let now_held = held_by(&recorder.process.heap.live, device_id);
            !now_held.is_subset(held)
        });
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let values = [device_id as u32 as u64, took];
        let named = if is_newer { &values[..] } else { &values[..1] };
        let call = record_call(recorder, 0, named, status);
        recorder.thread.device = None;
        let process = recorder.process;
        if status == 0 && process.heap.devices.on_reset(device_id, is_forced) {
            let dropped = process.heap.live.reset(call.site, |block| {
                is_dropped(block, device_id) && was_held(block)
            });
            dropped
                .iter()
                .for_each(|block| left_redzone::forget(block.address));
            process
                .heap
                .devices
                .record_dropped(device_id, dropped, call.site);
            objects::reset(recorder, &call, device_id);
            guard_page::on_reset(process, device_id);
            stream_order::reset(recorder, device_id);
        }
    });
    status
}

/// The numbers of the blocks that a reset of the device would drop.
fn held_by(live: &Live, device: i32) -> HashSet<BlockId> {
    let mut held = HashSet::new();
    live.for_each_live(|key, entry| {
        let block = entry.block(key);
        if is_dropped(&block, device) {
            held.insert(block.id);
        }
    });
    held
}

/// A reset drops the device's blocks; pinned host memory survives it (driver ef377e95, `devmm_svm.c`).
fn is_dropped(block: &Block, device: i32) -> bool {
    block.family().is_dropped_by_reset() && block.device == device
}

fn memory_asked(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    attr: aclrtMemAttr,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    let status = forward();
    let is_done = status == 0;
    if let (Some(free), Some(total)) = (written(free, is_done), written(total, is_done)) {
        let (free, total) = (free as u64, total as u64);
        hook.record(|recorder| {
            let site = recorder.call(attr).site;
            recorder.event(&Event::Memory { site, free, total });
        });
    }
    status
}

fn mode_asked(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    run_mode: *mut aclrtRunMode,
) -> aclError {
    let status = forward();
    let mode = written(run_mode, status == 0).map(u64::from);
    record(hook, 0, mode.as_slice(), status);
    status
}

fn context_created(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    context: *mut aclrtContext,
    device_id: i32,
) -> aclError {
    let status = hook.allow_callbacks(forward);
    hook.record(|recorder| {
        let context = written(context, status == 0).map_or(0, |context| context as u64);
        if status == 0 {
            recorder.thread.device = Some(device_id);
            let devices = &recorder.process.heap.devices;
            devices.on_context_created(context, device_id);
        }
        record_call(recorder, 0, &[device_id as u32 as u64, context], status)
    });
    status
}

/// The memory of a device may be freed with its last context.
fn context_destroyed(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    context: aclrtContext,
) -> aclError {
    let context = context as u64;
    hook.record(|recorder| {
        let device = recorder.process.heap.devices.device_of_context(context);
        if let Some(device) = device {
            quarantine::flush(recorder, device);
        }
    });
    let status = hook.allow_callbacks(forward);
    hook.record(|recorder| {
        recorder.thread.device = None;
        if status == 0 {
            recorder.process.heap.devices.on_context_destroyed(context);
        }
        record_call(recorder, 0, &[context], status)
    });
    status
}

fn context_set(hook: &Hook, forward: impl FnOnce() -> aclError, context: aclrtContext) -> aclError {
    let status = hook.allow_callbacks(forward);
    hook.record(|recorder| {
        recorder.thread.device = None;
        if status == 0 && !context.is_null() {
            recorder.detect_device();
        }
        record_call(recorder, 0, &[context as u64], status)
    });
    status
}
