//! Graph capture: recorded for stream order, and so that none of our copies gets into a captured graph. Models built by hand are only
//! recorded, since their streams forbid nothing.

use crate::abi::*;
use crate::calls::actions::{announced, out, recorded, recorded_as};
use crate::calls::interpose;
use crate::record::Hook;
use crate::state::process::Process;
use std::ffi::c_void;

interpose! {
    /// Forbids our copies before the capture begins.
    fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> aclError = capture_begun [stream, mode] (stream, mode);
    fn aclmdlRICaptureToModelRIBegin(stream: aclrtStream, graph: aclmdlRI, mode: aclmdlRICaptureMode) -> aclError
        = capture_begun [stream, graph, mode] (stream, mode);
    fn aclmdlRICaptureEnd(stream: aclrtStream, graph: *mut aclmdlRI) -> aclError = capture_ended [stream, out(graph)] (stream);
    fn aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode) -> aclError = recorded [out(mode)];
    fn aclmdlRIExecute(graph: aclmdlRI, timeout: i32) -> aclError = announced [graph];
    fn aclmdlRIExecuteAsync(graph: aclmdlRI, stream: aclrtStream) -> aclError = announced [graph, stream];
    fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, group: aclrtTaskGrp) -> aclError = recorded [stream, group];
    fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError = recorded [stream];
    fn aclmdlRIDestroy(graph: aclmdlRI) -> aclError = recorded [graph];
    fn aclmdlRIBuildBegin(graph: *mut aclmdlRI, flag: u32) -> aclError = recorded [out(graph)];
    fn aclmdlRIBindStream(graph: aclmdlRI, stream: aclrtStream, flag: u32) -> aclError = recorded [graph, stream, flag];
    fn aclmdlRIEndTask(graph: aclmdlRI, stream: aclrtStream) -> aclError = recorded [graph, stream];
    fn aclmdlRIBuildEnd(graph: aclmdlRI, reserved: *mut c_void) -> aclError = recorded [graph];
    fn aclmdlRIUnbindStream(graph: aclmdlRI, stream: aclrtStream) -> aclError = recorded [graph, stream];
    fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError = recorded [stream];
    fn aclrtSwitchLabelByIndex(index: *mut c_void, count: u32, labels: aclrtLabelList, stream: aclrtStream) -> aclError
        = recorded [stream];
    fn aclrtSwitchStream(left: *mut c_void, condition: aclrtCondition, right: *mut c_void, kind: aclrtCompareDataType,
        chosen: aclrtStream, other: aclrtStream, stream: aclrtStream) -> aclError = recorded [stream];
    fn aclmdlRIAbort(graph: aclmdlRI) -> aclError = recorded [graph];
    fn aclmdlRIUpdate(graph: aclmdlRI) -> aclError = recorded [graph];
    fn aclmdlRITaskSetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError = recorded [task];
}

fn capture_begun<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    values: impl FnOnce(bool) -> [u64; N],
    stream: aclrtStream,
    mode: aclmdlRICaptureMode,
) -> aclError {
    let captures = &Process::current().calls.graph_captures;
    captures.begin(stream as u64, mode);
    let status = recorded_as(hook, forward, values, mode);
    if status != 0 {
        captures.end(stream as u64);
    }
    status
}

/// `ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD`: the only failure after which a capture may continue.
const WRONG_THREAD: i32 = 107_038;

fn capture_ended<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    values: impl FnOnce(bool) -> [u64; N],
    stream: aclrtStream,
) -> aclError {
    let forward = || {
        let status = forward();
        if status != WRONG_THREAD {
            Process::current().calls.graph_captures.end(stream as u64);
        }
        status
    };
    recorded(hook, forward, values)
}
