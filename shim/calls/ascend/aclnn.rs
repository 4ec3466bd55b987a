//! Two-phase operators, hooked at the few functions of libnnopbase.so that all of them pass through.
//!
//! The `aclnnXxx` functions themselves are not hooked: there are nine hundred, and one takes arguments of its own before the stream.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{RecordEvents, launch_as};
use crate::record::{Hook, Recorder};
use aclsan_log::Values;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::{c_char, c_void};

interpose! {
    /// Start of phase one: drops the thread's plan of an earlier operator.
    fn UniqueExecutor(this: *mut c_void, func_name: *const c_char) = on_begin, _ZN14UniqueExecutorC1EPKc;
    /// Remembers the workspace that the plan needs.
    fn aclOpExecutorGetWorkspaceSize(executor: *const aclOpExecutor) -> u64 = on_size, _ZNK13aclOpExecutor16GetWorkspaceSizeEv;
    /// Records the executor and its workspace, if the caller asks for them.
    fn aclOpExecutorAddCache(executor: *mut aclOpExecutor) = on_hand_out, _ZN13aclOpExecutor8AddCacheEv;
    /// Records an executor from the cache.
    fn opGetFromCache(executor: *mut *mut aclOpExecutor, workspace_size: *mut u64) -> bool
        = on_cached, _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm;
    /// As `opGetFromCache`.
    fn PTAGetExecCache(hash: u64, workspace_size: *mut u64) -> *mut aclOpExecutor = on_cached_by_hash, PTAGetExecCache;
    /// As `opGetFromCache`.
    fn PTAFindExecCache(buf: *mut u8, len: usize, workspace_size: *mut u64) -> *mut aclOpExecutor = on_cached_by_key, PTAFindExecCache;
    /// Records the executor of a generated operator and its workspace.
    fn NnopbaseRunForWorkspace(executor: *mut c_void, workspace_len: *mut u64) -> aclnnStatus
        = on_generated_size, NnopbaseRunForWorkspace;
    /// As `NnopbaseRunForWorkspace`, which is not called if this finds the same arguments in its cache.
    fn NnopbaseMatchArgs(executor: *mut c_void, workspace_len: *mut u64) -> bool = on_generated_match, NnopbaseMatchArgs;
    /// Phase two: records the workspace, then the run.
    fn CommonOpExecutorRun(workspace: *mut c_void, workspace_size: u64, executor: *mut aclOpExecutor, stream: aclrtStream) -> aclnnStatus
        = on_run, _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_;
    /// As `CommonOpExecutorRun`, for a generated operator.
    fn NnopbaseRunWithWorkspace(executor: *mut c_void, stream: aclrtStream, workspace: *mut c_void, workspace_len: u64) -> aclnnStatus
        = on_generated_run, NnopbaseRunWithWorkspace;
    /// Records that the executor outlives phase two.
    fn aclSetAclOpExecutorRepeatable(executor: *mut aclOpExecutor) -> aclnnStatus = on_executor, aclSetAclOpExecutorRepeatable;
    /// Records the end of the executor.
    fn aclDestroyAclOpExecutor(executor: *mut aclOpExecutor) -> aclnnStatus = on_executor, aclDestroyAclOpExecutor;
}

fn on_begin(hook: &Hook, next: UniqueExecutor::Fn, this: *mut c_void, func_name: *const c_char) {
    let forget = |recorder: &mut Recorder| recorder.thread.planned = None;
    hook.record_or(forget, forget);
    // SAFETY: the caller's own arguments.
    unsafe { next(this, func_name) }
}

fn on_size(
    hook: &Hook,
    next: aclOpExecutorGetWorkspaceSize::Fn,
    executor: *const aclOpExecutor,
) -> u64 {
    // SAFETY: the caller's own argument.
    let need = unsafe { next(executor) };
    hook.record(|recorder| recorder.thread.planned = Some((executor as u64, need)));
    need
}

fn on_hand_out(hook: &Hook, next: aclOpExecutorAddCache::Fn, executor: *mut aclOpExecutor) {
    // SAFETY: the caller's own argument.
    unsafe { next(executor) };
    hook.record(|recorder| {
        let planned = recorder.thread.planned.take();
        let planned = planned.filter(|&(planned, _)| planned == executor as u64);
        let need = planned.map_or(0, |(_, need)| need);
        record_plan(recorder, executor as u64, need, 0);
    });
}

fn record_plan(recorder: &mut Recorder, executor: u64, need: u64, status: i32) {
    let values = Values::of([executor, need]);
    recorder.prefetch_planner(executor);
    let call = recorder.call(0);
    recorder.prefetch_operator(call.site, values.all());
    recorder.note_planner(executor, &call); // While that is fetched.
    recorder.finish_call(&call, &values, status);
}

/// Records an executor, and the workspace size that the runtime wrote to `need`.
fn handed_out(hook: &Hook, executor: u64, need: *mut u64, status: i32) {
    // SAFETY: null, or an out-parameter that the runtime wrote along with this executor.
    let need = unsafe { need.as_ref() }.copied().unwrap_or(0);
    hook.record(|recorder| record_plan(recorder, executor, need, status));
}

fn on_cached(
    hook: &Hook,
    next: opGetFromCache::Fn,
    executor: *mut *mut aclOpExecutor,
    workspace_size: *mut u64,
) -> bool {
    // SAFETY: the caller's own arguments.
    let is_cached = unsafe { next(executor, workspace_size) };
    if is_cached {
        // SAFETY: null, or an out-parameter to which the runtime wrote the executor.
        let executor = unsafe { executor.as_ref() };
        let executor = executor.map_or(0, |&executor| executor as u64);
        handed_out(hook, executor, workspace_size, 0);
    }
    is_cached
}

fn on_cached_by_hash(
    hook: &Hook,
    next: PTAGetExecCache::Fn,
    hash: u64,
    workspace_size: *mut u64,
) -> *mut aclOpExecutor {
    // SAFETY: the caller's own arguments.
    let executor = unsafe { next(hash, workspace_size) };
    if !executor.is_null() {
        handed_out(hook, executor as u64, workspace_size, 0);
    }
    executor
}

fn on_cached_by_key(
    hook: &Hook,
    next: PTAFindExecCache::Fn,
    buf: *mut u8,
    len: usize,
    workspace_size: *mut u64,
) -> *mut aclOpExecutor {
    // SAFETY: the caller's own arguments.
    let executor = unsafe { next(buf, len, workspace_size) };
    if !executor.is_null() {
        handed_out(hook, executor as u64, workspace_size, 0);
    }
    executor
}

fn on_generated_size(
    hook: &Hook,
    next: NnopbaseRunForWorkspace::Fn,
    executor: *mut c_void,
    workspace_len: *mut u64,
) -> aclnnStatus {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(executor, workspace_len) };
    let written = match status {
        0 => workspace_len,
        _ => std::ptr::null_mut(),
    };
    handed_out(hook, executor as u64, written, status);
    status
}

fn on_generated_match(
    hook: &Hook,
    next: NnopbaseMatchArgs::Fn,
    executor: *mut c_void,
    workspace_len: *mut u64,
) -> bool {
    // SAFETY: the caller's own arguments.
    let is_cached = unsafe { next(executor, workspace_len) };
    if is_cached {
        handed_out(hook, executor as u64, workspace_len, 0);
    }
    is_cached
}

/// The arguments of phase two, of either kind.
struct Run {
    executor: u64,
    workspace: u64,
    size: u64,
    stream: u64,
}

fn run(hook: &Hook, run: Run, forward: impl FnOnce() -> aclnnStatus) -> aclnnStatus {
    let workspace = RangeUse {
        address: run.workspace,
        size: run.size,
        access: Access::Both,
    };
    let values = Values::of([run.executor, run.workspace, run.size, run.stream]);
    let call = |recorder: &mut Recorder| {
        let call = recorder.call_of_plan(run.executor);
        recorder.prefetch_operator(call.site, values.all());
        call
    };
    launch_as(hook, call, &[workspace], run.stream, &values, forward)
}

fn on_run(
    hook: &Hook,
    next: CommonOpExecutorRun::Fn,
    workspace: *mut c_void,
    workspace_size: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> aclnnStatus {
    let what = Run {
        executor: executor as u64,
        workspace: workspace as u64,
        size: workspace_size,
        stream: stream as u64,
    };
    // SAFETY: the caller's own arguments.
    run(hook, what, || unsafe {
        next(workspace, workspace_size, executor, stream)
    })
}

fn on_generated_run(
    hook: &Hook,
    next: NnopbaseRunWithWorkspace::Fn,
    executor: *mut c_void,
    stream: aclrtStream,
    workspace: *mut c_void,
    workspace_len: u64,
) -> aclnnStatus {
    let what = Run {
        executor: executor as u64,
        workspace: workspace as u64,
        size: workspace_len,
        stream: stream as u64,
    };
    // SAFETY: the caller's own arguments.
    run(hook, what, || unsafe {
        next(executor, stream, workspace, workspace_len)
    })
}

fn on_executor(
    hook: &Hook,
    next: aclDestroyAclOpExecutor::Fn,
    executor: *mut aclOpExecutor,
) -> aclnnStatus {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(executor) };
    hook.record(|recorder| recorder.record_call(0, &[executor as u64], status));
    status
}
