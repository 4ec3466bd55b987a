//! Initialization and finalization of process and devices, and queries about memory.
//!
//! In calls that initialize or finalize, the runtime may call back a program that registered for it: hooks entered there are recorded.

use crate::abi::{aclError, aclrtContext, aclrtMemAttr, aclrtRunMode};
use crate::calls::interpose;
use crate::heap::{RecordEvents, guard_page, quarantine, redzone_check};
use crate::judge::{AskObjects, AskOrder, Judge};
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
    /// Records the call.
    fn aclInit(config_path: *const c_char) -> aclError = on_init => INIT;
    /// Records the call; it releases nothing.
    fn aclFinalize() -> aclError = on_finalize;
    /// Records the call, with how many references are left.
    fn aclFinalizeReference(ref_count: *mut u64) -> aclError = on_finalize_reference;
    /// Counts the reference. Setting a device again after a reset reports what the reset dropped.
    fn aclrtSetDevice(device_id: i32) -> aclError = on_set_device => SET_DEVICE;
    /// Counts the reference; the last one drops the device's blocks.
    fn aclrtResetDevice(device_id: i32) -> aclError = on_reset_device => RESET_DEVICE;
    /// Drops the device's blocks.
    fn aclrtResetDeviceForce(device_id: i32) -> aclError = on_reset_device;
    /// Records how much memory the runtime reports as free.
    fn aclrtGetMemInfo(attr: aclrtMemAttr, free: *mut usize, total: *mut usize) -> aclError = on_get_mem_info => GET_MEM_INFO;
    /// Records whether host and device share memory.
    fn aclrtGetRunMode(run_mode: *mut aclrtRunMode) -> aclError = on_get_run_mode => GET_RUN_MODE;
    /// The thread's device is the context's from here on.
    fn aclrtCreateContext(context: *mut aclrtContext, device_id: i32) -> aclError = on_create_context;
    /// The thread may be without a device from here on.
    fn aclrtDestroyContext(context: aclrtContext) -> aclError = on_context;
    /// The thread's device is the context's from here on.
    fn aclrtSetCurrentContext(context: aclrtContext) -> aclError = on_context;
}

fn on_init(hook: &Hook, next: aclInit::Fn, config_path: *const c_char) -> aclError {
    // SAFETY: the caller's own argument.
    let status = hook.allow_callbacks(|| unsafe { next(config_path) });
    Process::current().calls.is_finalized.store(false, Relaxed);
    note(hook, &[], status)
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

fn on_finalize(hook: &Hook, next: aclFinalize::Fn) -> aclError {
    let (leaf, saved) = (registers::here(), registers::saved());
    hook.record(|recorder| {
        let events = leak_scan::at_finalize(recorder.process, recorder.thread, leaf, &saved);
        events.iter().for_each(|event| recorder.event(event));
    });
    before_end(hook);
    // SAFETY: no arguments.
    let status = hook.allow_callbacks(|| unsafe { next() });
    if status == 0 {
        Process::current().calls.is_finalized.store(true, Relaxed);
        companion::forget_host_range();
    }
    note(hook, &[], status)
}

fn on_finalize_reference(
    hook: &Hook,
    next: aclFinalizeReference::Fn,
    ref_count: *mut u64,
) -> aclError {
    // SAFETY: the caller's own argument.
    let status = hook.allow_callbacks(|| unsafe { next(ref_count) });
    // SAFETY: null, or a pointer through which the runtime has written one on success.
    let left = unsafe { ref_count.as_ref() }.filter(|_| status == 0);
    note(hook, &[left.copied().unwrap_or(0)], status)
}

fn on_set_device(hook: &Hook, next: aclrtSetDevice::Fn, device_id: i32) -> aclError {
    // SAFETY: the caller's own argument.
    let status = hook.allow_callbacks(|| unsafe { next(device_id) });
    hook.record(|recorder| {
        if status == 0 {
            recorder.thread.device = Some(device_id);
        }
        let call = recorder.record_call(0, &[device_id as u32 as u64], status);
        if status == 0 {
            let (dropped, reset) = recorder.process.heap.devices.on_set(device_id);
            recorder.judge(|_| {
                dropped
                    .values()
                    .filter_map(|block| judge::set_again(block, reset, call.site))
            });
        }
    });
    status
}

fn on_reset_device(hook: &Hook, next: aclrtResetDevice::Fn, device_id: i32) -> aclError {
    let is_forced = hook.function.role == Role::ResetDeviceForce;
    let begun = Instant::now();
    // What the device holds before: what another thread allocates while the call runs may be there afterwards.
    let mut held = None;
    hook.record(|recorder| {
        let heap = &recorder.process.heap;
        if heap.devices.is_last_reset(device_id, is_forced) {
            held = Some(held_by(&heap.live, device_id));
            redzone_check::final_check(recorder, |block| is_dropped(block, device_id));
        }
        quarantine::flush(recorder, device_id);
    });
    // SAFETY: the caller's own argument.
    let status = hook.allow_callbacks(|| unsafe { next(device_id) });
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
        let call = recorder.record_call(0, named, status);
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
            recorder.object_reset(&call, device_id);
            guard_page::on_reset(process, device_id);
            recorder.order_reset(device_id);
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

fn on_get_mem_info(
    hook: &Hook,
    next: aclrtGetMemInfo::Fn,
    attr: aclrtMemAttr,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(attr, free, total) };
    if status == 0 && !free.is_null() && !total.is_null() {
        // SAFETY: not null, and the runtime has written it.
        let free = unsafe { free.read() } as u64;
        // SAFETY: not null, and the runtime has written it.
        let total = unsafe { total.read() } as u64;
        hook.record(|recorder| {
            let site = recorder.call(attr).site;
            recorder.event(&Event::Memory { site, free, total });
        });
    }
    status
}

fn on_get_run_mode(
    hook: &Hook,
    next: aclrtGetRunMode::Fn,
    run_mode: *mut aclrtRunMode,
) -> aclError {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(run_mode) };
    if status != 0 || run_mode.is_null() {
        return note(hook, &[], status);
    }
    // SAFETY: not null, and the runtime has written it.
    note(hook, &[u64::from(unsafe { run_mode.read() })], status)
}

fn on_create_context(
    hook: &Hook,
    next: aclrtCreateContext::Fn,
    context: *mut aclrtContext,
    device_id: i32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = hook.allow_callbacks(|| unsafe { next(context, device_id) });
    hook.record(|recorder| {
        if status == 0 {
            recorder.thread.device = Some(device_id);
        }
        // SAFETY: null, or a pointer through which the runtime has written one on success.
        let context = unsafe { context.as_ref() }.filter(|_| status == 0);
        let context = context.map_or(0, |&context| context as u64);
        if status == 0 {
            recorder
                .process
                .heap
                .devices
                .on_context_created(context, device_id);
        }
        recorder.record_call(0, &[device_id as u32 as u64, context], status)
    });
    status
}

fn on_context(hook: &Hook, next: aclrtSetCurrentContext::Fn, context: aclrtContext) -> aclError {
    if hook.function.name == "aclrtDestroyContext" {
        // The memory of a device may be freed with its last context.
        hook.record(|recorder| {
            if let Some(device) = recorder
                .process
                .heap
                .devices
                .device_of_context(context as u64)
            {
                quarantine::flush(recorder, device);
            }
        });
    }
    // SAFETY: the caller's own argument.
    let status = hook.allow_callbacks(|| unsafe { next(context) });
    hook.record(|recorder| {
        recorder.thread.device = None;
        let is_destroyed = hook.function.name == "aclrtDestroyContext";
        if status == 0 && is_destroyed {
            recorder
                .process
                .heap
                .devices
                .on_context_destroyed(context as u64);
        } else if status == 0 && !context.is_null() {
            recorder.detect_device();
        }
        recorder.record_call(0, &[context as u64], status)
    });
    status
}

/// Records a call.
fn note(hook: &Hook, values: &[u64], status: i32) -> aclError {
    hook.record(|recorder| recorder.record_call(0, values, status));
    status
}
