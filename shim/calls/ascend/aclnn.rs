//! Two-phase operators, hooked at the few functions of libnnopbase.so that all of them pass through.
//!
//! The `aclnnXxx` functions themselves are not hooked: there are nine hundred, and one takes arguments of its own before the stream.

use crate::abi::*;
use crate::calls::actions::{Word, array, out, recorded};
use crate::calls::interpose;
use crate::heap::{finish_call, index_check, launch_as};
use crate::record::{Hook, Recorder};
use crate::state::cached_plans::Extent;
use crate::state::index_checks::PlannedCheck;
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_log::branch::unlikely;
use aclsan_log::record::Access;
use aclsan_rules::api::{fast_hash, functions};
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

interpose! {
    /// Start of phase one: drops the thread's plan of an earlier operator.
    fn UniqueExecutor(this: *mut c_void, func_name: *const c_char) = begun, _ZN14UniqueExecutorC1EPKc;
    /// Remembers the workspace that the plan needs.
    fn aclOpExecutorGetWorkspaceSize(executor: *const aclOpExecutor) -> u64 = sized (executor), _ZNK13aclOpExecutor16GetWorkspaceSizeEv;
    /// Records the executor and its workspace, if the caller asks for them.
    fn aclOpExecutorAddCache(executor: *mut aclOpExecutor) = handed_out (executor), _ZN13aclOpExecutor8AddCacheEv;
    /// Records an executor from the cache.
    fn opGetFromCache(executor: *mut *mut aclOpExecutor, workspace_size: *mut u64) -> bool
        = matched (out(executor), workspace_size), _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm;
    /// Another call begins.
    fn InitPTACacheThreadLocal() = cacheable_begun, InitPTACacheThreadLocal;
    /// Remembers the tensor.
    fn AddTensorAddrToCachedList(address: *mut c_void) = tensor_listed (address), AddTensorAddrToCachedList;
    /// As `opGetFromCache`, and what the plan uses.
    fn PTAGetExecCache(hash: u64, workspace_size: *mut u64) -> *mut aclOpExecutor = looked_up (|| hash, workspace_size), PTAGetExecCache;
    /// As `PTAGetExecCache`.
    fn PTAFindExecCache(buf: *mut u8, len: usize, workspace_size: *mut u64) -> *mut aclOpExecutor
        = looked_up (|| hash_of(array(buf, len)), workspace_size), PTAFindExecCache;
    /// Records the executor of a generated operator and its workspace.
    fn NnopbaseRunForWorkspace(executor: *mut c_void, workspace_len: *mut u64) -> aclnnStatus
        = recorded_plan (executor, workspace_len), NnopbaseRunForWorkspace;
    /// As `NnopbaseRunForWorkspace`, which is not called if this finds the same arguments in its cache.
    fn NnopbaseMatchArgs(executor: *mut c_void, workspace_len: *mut u64) -> bool = matched (executor, workspace_len), NnopbaseMatchArgs;
    /// Phase two: records the workspace, then the run.
    fn CommonOpExecutorRun(workspace: *mut c_void, workspace_size: u64, executor: *mut aclOpExecutor, stream: aclrtStream) -> aclnnStatus
        = run (executor.cast(), workspace, workspace_size, stream), _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_;
    /// As `CommonOpExecutorRun`, for a generated operator.
    fn NnopbaseRunWithWorkspace(executor: *mut c_void, stream: aclrtStream, workspace: *mut c_void, workspace_len: u64) -> aclnnStatus
        = run (executor, workspace, workspace_len, stream), NnopbaseRunWithWorkspace;
    /// Records that the executor outlives phase two.
    fn aclSetAclOpExecutorRepeatable(executor: *mut aclOpExecutor) -> aclnnStatus = recorded [executor], aclSetAclOpExecutorRepeatable;
    /// Records the end of the executor.
    fn aclDestroyAclOpExecutor(executor: *mut aclOpExecutor) -> aclnnStatus = recorded [executor], aclDestroyAclOpExecutor;
}

fn begun(hook: &Hook, forward: impl FnOnce()) {
    let forget = |recorder: &mut Recorder| recorder.thread.planned = None;
    hook.record_or(forget, forget);
    forward();
}

fn sized(hook: &Hook, forward: impl FnOnce() -> u64, executor: *const aclOpExecutor) -> u64 {
    let need = forward();
    hook.record(|recorder| recorder.thread.planned = Some((executor as u64, need)));
    need
}

fn handed_out(hook: &Hook, forward: impl FnOnce(), executor: *mut aclOpExecutor) {
    forward();
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
    if unlikely(recorder.process.options.checks_indices()) {
        recorder.process.calls.index_checks.discard(executor);
    }
    let values = Values::of([executor, need]);
    recorder.prefetch_planner(executor);
    let call = recorder.call(0);
    recorder.prefetch_operator(call.site, values.all());
    recorder.note_planner(executor, &call); // While that is fetched.
    finish_call(recorder, &call, &values, status);
}

/// A call that says whether the arguments' executor is in a cache, and writes the workspace that it needs.
fn matched(
    hook: &Hook,
    forward: impl FnOnce() -> bool,
    executor: impl Word,
    need: *mut u64,
) -> bool {
    let is_cached = forward();
    if is_cached {
        let (executor, need) = (executor.word(true), out(need).word(true));
        hook.record(|recorder| record_plan(recorder, executor, need, 0));
    }
    is_cached
}

fn recorded_plan(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    executor: *mut c_void,
    need: *mut u64,
) -> aclnnStatus {
    let status = forward();
    let need = out(need).word(status == 0);
    hook.record(|recorder| record_plan(recorder, executor as u64, need, status));
    status
}

fn cacheable_begun(hook: &Hook, forward: impl FnOnce()) {
    let begin = |recorder: &mut Recorder| recorder.thread.operator_call.begin();
    hook.record_or(begin, begin);
    forward();
}

fn tensor_listed(hook: &Hook, forward: impl FnOnce(), address: *mut c_void) {
    hook.record(|recorder| recorder.thread.operator_call.add(address as u64));
    forward();
}

/// A plan is looked up under `key`, which the runtime has read when the call returns: records it and what it uses, if there is one.
fn looked_up(
    hook: &Hook,
    forward: impl FnOnce() -> *mut aclOpExecutor,
    key: impl FnOnce() -> u64,
    need: *mut u64,
) -> *mut aclOpExecutor {
    let executor = forward();
    let (key, need) = (key(), out(need).word(!executor.is_null()));
    hook.record(|recorder| {
        if executor.is_null() {
            return recorder.thread.operator_call.missed(key);
        }
        record_plan(recorder, executor as u64, need, 0);
        let count = recorder.thread.operator_call.addresses().len();
        let plan = recorder.process.calls.cached_plans.find(key, count);
        record_tensors(recorder, plan, executor as u64);
        if unlikely(recorder.process.options.checks_indices()) {
            plan_cached_checks(recorder, key, executor as u64);
        }
    });
    executor
}

/// Keeps what the indices of an executor must be whose plan is in a cache.
fn plan_cached_checks(recorder: &mut Recorder, key: u64, executor: u64) {
    let checks = &recorder.process.calls.index_checks;
    let cached = checks.cached(key, recorder.thread.operator_call.addresses());
    let planned: Vec<_> = cached
        .into_iter()
        .map(|cached| PlannedCheck {
            call: recorder.call_as(cached.function),
            check: cached.check,
        })
        .collect();
    checks.plan(executor, planned);
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
        finish_call(recorder, &call, &Values::new(used), 0);
    }
}

/// The function whose calls tell what a plan uses.
const PLAN_TENSORS: u16 = functions::number("AddTensorAddrToCachedList");
/// Tensors in one of them.
const TENSORS_A_CALL: usize = 3;

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

/// Phase two, of either kind.
fn run(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    executor: *mut c_void,
    workspace: *mut c_void,
    size: u64,
    stream: aclrtStream,
) -> aclnnStatus {
    let queue = stream;
    let (executor, address, stream) = (executor as u64, workspace as u64, stream as u64);
    if unlikely(Process::current().options.checks_indices()) {
        let error = index_check::check_before_launch(hook, executor, queue);
        if error != 0 {
            return error;
        }
    }
    let workspace = RangeUse {
        address,
        size,
        access: Access::Both,
    };
    let values = Values::of([executor, address, size, stream]);
    let call = |recorder: &mut Recorder| {
        let call = recorder.call_of_plan(executor);
        recorder.prefetch_operator(call.site, values.all());
        call
    };
    launch_as(hook, call, &[workspace], stream, &values, forward)
}
