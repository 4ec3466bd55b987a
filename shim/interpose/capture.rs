//! Graph capture: noted for the order of things, and so that no copy of ours gets into one.

use super::interpose;
use super::stream::{ordered, written_handle};
use crate::abi::*;
use crate::hook::Hook;
use crate::process::Process;

interpose! {
    /// Keeps our copies out from before the capture begins.
    fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> aclError = on_begin;
    fn aclmdlRICaptureEnd(stream: aclrtStream, graph: *mut aclmdlRI) -> aclError = on_end;
    fn aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode) -> aclError = on_exchange;
    fn aclmdlRIExecute(graph: aclmdlRI, timeout: i32) -> aclError = on_execute;
    fn aclmdlRIExecuteAsync(graph: aclmdlRI, stream: aclrtStream) -> aclError = on_execute_async;
    fn aclmdlRIDestroy(graph: aclmdlRI) -> aclError = on_destroy;
}

ordered! {
    on_exchange: aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode), [super::stream::written(mode)];
    on_execute: aclmdlRIExecute(graph: aclmdlRI, timeout: i32), [graph as u64];
    on_execute_async: aclmdlRIExecuteAsync(graph: aclmdlRI, stream: aclrtStream), [graph as u64, stream as u64];
    on_destroy: aclmdlRIDestroy(graph: aclmdlRI), [graph as u64];
}

fn on_begin(
    hook: &Hook,
    next: aclmdlRICaptureBegin::Fn,
    stream: aclrtStream,
    mode: aclmdlRICaptureMode,
) -> aclError {
    Process::current().captures.begin(stream as u64, mode);
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(stream, mode) };
    if status != 0 {
        Process::current().captures.end(stream as u64);
    }
    hook.record(|recorder| recorder.called(mode, &[stream as u64, mode.into()], status));
    status
}

/// `ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD`: the one failure after which a capture may go on.
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
        Process::current().captures.end(stream as u64);
    }
    let made = if status == 0 {
        written_handle(graph)
    } else {
        0
    };
    hook.record(|recorder| recorder.called(0, &[stream as u64, made], status));
    status
}
