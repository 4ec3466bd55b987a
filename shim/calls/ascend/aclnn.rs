//! Two-phase operators, hooked at the few functions of libnnopbase.so that all of them pass through.
//!
//! The `aclnnXxx` functions themselves are not hooked: there are nine hundred, and one takes arguments of its own before the stream.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{RecordEvents, launch_as};
use crate::record::{Hook, Recorder};
use crate::state::cached_plans::Extent;
use aclsan_log::Values;
use aclsan_log::record::Access;
use aclsan_rules::api::{fast_hash, functions};
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

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
    /// Another call begins.
    fn InitPTACacheThreadLocal() = on_cacheable, InitPTACacheThreadLocal;
    /// Remembers the tensor.
    fn AddTensorAddrToCachedList(address: *mut c_void) = on_tensor_address, AddTensorAddrToCachedList;
    /// As `opGetFromCache`, and what the plan uses.
    fn PTAGetExecCache(hash: u64, workspace_size: *mut u64) -> *mut aclOpExecutor = on_cached_by_hash, PTAGetExecCache;
    /// As `PTAGetExecCache`.
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
        if recorder.thread.operator_call.is_planned() {
            let plans = &recorder.process.calls.cached_plans;
            let plan = recorder.thread.operator_call.planned(plans);
            record_tensors(recorder, plan, executor as u64);
        }
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

fn on_cacheable(hook: &Hook, next: InitPTACacheThreadLocal::Fn) {
    let begin = |recorder: &mut Recorder| recorder.thread.operator_call.begin();
    hook.record_or(begin, begin);
    // SAFETY: no arguments.
    unsafe { next() }
}

fn on_tensor_address(hook: &Hook, next: AddTensorAddrToCachedList::Fn, address: *mut c_void) {
    hook.record(|recorder| recorder.thread.operator_call.add(address as u64));
    // SAFETY: the caller's own argument.
    unsafe { next(address) }
}

/// A plan was looked up under `key`: records it and what it uses, if there was one.
fn looked_up(hook: &Hook, key: u64, executor: u64, workspace_size: *mut u64) {
    let need = match executor {
        0 => 0,
        // SAFETY: null, or an out-parameter that the runtime wrote along with this executor.
        _ => unsafe { workspace_size.as_ref() }.copied().unwrap_or(0),
    };
    hook.record(|recorder| {
        if executor == 0 {
            return recorder.thread.operator_call.missed(key);
        }
        record_plan(recorder, executor, need, 0);
        let count = recorder.thread.operator_call.addresses().len();
        let plan = recorder.process.calls.cached_plans.find(key, count);
        record_tensors(recorder, plan, executor);
    });
}

/// Records what a plan uses of the thread's tensors. Where that is not known, nothing is recorded.
fn record_tensors(recorder: &mut Recorder, plan: Option<Arc<[Extent]>>, executor: u64) {
    let Some(plan) = plan else {
        return;
    };
    let call = recorder.call_besides(PLAN_TENSORS);
    for (at, extents) in (0..)
        .step_by(TENSORS_A_CALL)
        .zip(plan.chunks(TENSORS_A_CALL))
    {
        let mut values = [0; 1 + 2 * TENSORS_A_CALL];
        values[0] = executor;
        let addresses = &recorder.thread.operator_call.addresses()[at..];
        for ((range, address), extent) in
            values[1..].chunks_exact_mut(2).zip(addresses).zip(extents)
        {
            range[0] = address.saturating_add(extent.from);
            range[1] = extent.bytes;
        }
        let used = &values[..1 + 2 * extents.len()];
        recorder.finish_call(&call, &Values::new(used), 0);
    }
}

/// The function whose calls tell what a plan uses.
const PLAN_TENSORS: u16 = functions::number("AddTensorAddrToCachedList");
/// Tensors in one of them.
const TENSORS_A_CALL: usize = 3;

fn on_cached_by_hash(
    hook: &Hook,
    next: PTAGetExecCache::Fn,
    hash: u64,
    workspace_size: *mut u64,
) -> *mut aclOpExecutor {
    // SAFETY: the caller's own arguments.
    let executor = unsafe { next(hash, workspace_size) };
    looked_up(hook, hash, executor as u64, workspace_size);
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
    let bytes = match buf.is_null() {
        true => &[][..],
        // SAFETY: the caller's own key of `len` bytes, which the runtime has read.
        false => unsafe { std::slice::from_raw_parts(buf, len) },
    };
    looked_up(hook, hash_of(bytes), executor as u64, workspace_size);
    executor
}

/// A hash of a key: by words, since keys have hundreds of bytes. Never 0.
fn hash_of(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let mixed = words.fold(bytes.len() as u64, |hash, word| {
        fast_hash::hash(hash ^ word)
    });
    mixed.max(1)
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
