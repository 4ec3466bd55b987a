//! Graph capture: recorded for stream order, and so that none of our copies gets into a captured graph. Models built by hand are only
//! recorded, since their streams forbid nothing.

use super::stream::{ordered, predicted, written_handle};
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use crate::state::process::Process;
use std::ffi::c_void;

interpose! {
    /// Forbids our copies before the capture begins.
    fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> aclError = on_begin;
    /// As `aclmdlRICaptureBegin`.
    fn aclmdlRICaptureToModelRIBegin(stream: aclrtStream, graph: aclmdlRI, mode: aclmdlRICaptureMode) -> aclError = on_begin_in;
    fn aclmdlRICaptureEnd(stream: aclrtStream, graph: *mut aclmdlRI) -> aclError = on_end;
    fn aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode) -> aclError = on_exchange;
    fn aclmdlRIExecute(graph: aclmdlRI, timeout: i32) -> aclError = on_execute;
    fn aclmdlRIExecuteAsync(graph: aclmdlRI, stream: aclrtStream) -> aclError = on_execute_async;
    fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, group: aclrtTaskGrp) -> aclError = on_update;
    fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError = on_updated;
    fn aclmdlRIDestroy(graph: aclmdlRI) -> aclError = on_destroy;
    fn aclmdlRIBuildBegin(graph: *mut aclmdlRI, flag: u32) -> aclError = on_build;
    fn aclmdlRIBindStream(graph: aclmdlRI, stream: aclrtStream, flag: u32) -> aclError = on_bind;
    fn aclmdlRIEndTask(graph: aclmdlRI, stream: aclrtStream) -> aclError = on_stream;
    fn aclmdlRIBuildEnd(graph: aclmdlRI, reserved: *mut c_void) -> aclError = on_built;
    fn aclmdlRIUnbindStream(graph: aclmdlRI, stream: aclrtStream) -> aclError = on_stream;
    fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError = on_label;
    fn aclrtSwitchLabelByIndex(index: *mut c_void, count: u32, labels: aclrtLabelList, stream: aclrtStream) -> aclError = on_switch;
    fn aclrtSwitchStream(left: *mut c_void, condition: aclrtCondition, right: *mut c_void, kind: aclrtCompareDataType,
        chosen: aclrtStream, other: aclrtStream, stream: aclrtStream) -> aclError = on_switch_stream;
    fn aclmdlRIAbort(graph: aclmdlRI) -> aclError = on_destroy;
    fn aclmdlRIUpdate(graph: aclmdlRI) -> aclError = on_destroy;
    fn aclmdlRITaskSetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError = on_parameters;
}

ordered! {
    on_exchange: aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode), [super::stream::written(mode)];
    on_update: aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, group: aclrtTaskGrp), [stream as u64, group as u64];
    on_updated: aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream), [stream as u64];
    on_destroy: aclmdlRIDestroy(graph: aclmdlRI), [graph as u64];
    on_bind: aclmdlRIBindStream(graph: aclmdlRI, stream: aclrtStream, flag: u32), [graph as u64, stream as u64, flag.into()];
    on_stream: aclmdlRIUnbindStream(graph: aclmdlRI, stream: aclrtStream), [graph as u64, stream as u64];
    on_label: aclrtSetLabel(label: aclrtLabel, stream: aclrtStream), [stream as u64];
    on_switch: aclrtSwitchLabelByIndex(index: *mut c_void, count: u32, labels: aclrtLabelList, stream: aclrtStream), [stream as u64];
    on_switch_stream: aclrtSwitchStream(left: *mut c_void, condition: aclrtCondition, right: *mut c_void, kind: aclrtCompareDataType,
        chosen: aclrtStream, other: aclrtStream, stream: aclrtStream), [stream as u64];
    on_parameters: aclmdlRITaskSetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams), [task as u64];
    on_built: aclmdlRIBuildEnd(graph: aclmdlRI, reserved: *mut c_void), [graph as u64];
}

predicted! {
    on_execute: aclmdlRIExecute(graph: aclmdlRI, timeout: i32), [graph as u64];
    on_execute_async: aclmdlRIExecuteAsync(graph: aclmdlRI, stream: aclrtStream), [graph as u64, stream as u64];
}

fn on_begin(
    hook: &Hook,
    next: aclmdlRICaptureBegin::Fn,
    stream: aclrtStream,
    mode: aclmdlRICaptureMode,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = captured(stream, mode, || unsafe { next(stream, mode) });
    hook.record(|recorder| recorder.record_call(mode, &[stream as u64, mode.into()], status));
    status
}

fn on_begin_in(
    hook: &Hook,
    next: aclmdlRICaptureToModelRIBegin::Fn,
    stream: aclrtStream,
    graph: aclmdlRI,
    mode: aclmdlRICaptureMode,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = captured(stream, mode, || unsafe { next(stream, graph, mode) });
    let values = [stream as u64, graph as u64, mode.into()];
    hook.record(|recorder| recorder.record_call(mode, &values, status));
    status
}

fn captured(stream: aclrtStream, mode: u32, forward: impl FnOnce() -> i32) -> i32 {
    let captures = &Process::current().calls.graph_captures;
    captures.begin(stream as u64, mode);
    let status = forward();
    if status != 0 {
        captures.end(stream as u64);
    }
    status
}

fn on_build(
    hook: &Hook,
    next: aclmdlRIBuildBegin::Fn,
    graph: *mut aclmdlRI,
    flag: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(graph, flag) };
    let made = if status == 0 {
        written_handle(graph)
    } else {
        0
    };
    hook.record(|recorder| recorder.record_call(0, &[made], status));
    status
}

/// `ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD`: the only failure after which a capture may continue.
const WRONG_THREAD: i32 = 107_038;

fn on_end(
    hook: &Hook,
    next: aclmdlRICaptureEnd::Fn,
    stream: aclrtStream,
    graph: *mut aclmdlRI,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(stream, graph) };
    if status != WRONG_THREAD {
        Process::current().calls.graph_captures.end(stream as u64);
    }
    let made = if status == 0 {
        written_handle(graph)
    } else {
        0
    };
    hook.record(|recorder| recorder.record_call(0, &[stream as u64, made], status));
    status
}
