//! Streams, events and callbacks, as far as stream order needs them.

use super::exception::awaited;
use crate::abi::*;
use crate::calls::actions::{
    announced, made, made_with_callbacks, out, recorded, released_with_callbacks, written,
};
use crate::calls::interpose;
use crate::heap::record_call;
use crate::record::Hook;
use std::ffi::c_void;

interpose! {
    fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError = made_with_callbacks (stream, 0);
    /// Recorded with its flag: a persistent stream keeps what it is given and does not run it by itself.
    fn aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError = made_with_callbacks (stream, flag);
    fn aclrtCreateStreamV2(stream: *mut aclrtStream, handle: *const aclrtStreamConfigHandle) -> aclError = made_with_callbacks (stream, 0);
    /// Another name for the default stream.
    fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError = default_named (stream);
    fn aclrtDestroyStream(stream: aclrtStream) -> aclError = released_with_callbacks (stream);
    fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError = released_with_callbacks (stream);
    /// Stops the running work of the stream, and drops work that has not begun.
    fn aclrtDeviceTaskAbort(device: i32, timeout: u32) -> aclError = recorded [device];
    fn aclrtStreamAbort(stream: aclrtStream) -> aclError = recorded [stream];
    fn aclrtStreamStop(stream: aclrtStream) -> aclError = recorded [stream];
    /// Starts what another stream has queued.
    fn aclrtActiveStream(active: aclrtStream, stream: aclrtStream) -> aclError = recorded [active, stream];
    fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError = awaited [stream] => SYNCHRONIZE_STREAM;
    fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> aclError = awaited [stream];
    fn aclrtSynchronizeDevice() -> aclError = awaited [] => SYNCHRONIZE_DEVICE;
    fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError = awaited [];
    fn aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError = recorded [stream, out(status)];
    fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError = made_with_callbacks (event, 0);
    /// Recorded with its flag, which says whether other processes may record the event.
    fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = made_with_callbacks (event, flag);
    fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = made_with_callbacks (event, flag);
    /// An event of another process.
    fn aclrtIpcOpenEventHandle(handle: aclrtIpcEventHandle, event: *mut aclrtEvent) -> aclError = made (event, 0, 0);
    fn aclrtDestroyEvent(event: aclrtEvent) -> aclError = released_with_callbacks (event);
    fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = recorded [event, stream];
    fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> aclError = recorded [event, stream, flag];
    fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = recorded [event, stream];
    fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError = recorded [stream, event];
    fn aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> aclError = recorded [stream, event];
    fn aclrtStreamWaitEventWithFlag(stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32) -> aclError
        = recorded [stream, event];
    fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError = awaited [event];
    fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> aclError = awaited [event];
    fn aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError = recorded [event, out(status)];
    fn aclrtQueryEvent(event: aclrtEvent, status: *mut aclrtEventStatus) -> aclError = recorded [event, out(status)];
    fn aclrtQueryEventWaitStatus(event: aclrtEvent, status: *mut aclrtEventWaitStatus) -> aclError = recorded [event, out(status)];
    /// Succeeds only if the event is complete.
    fn aclrtEventGetTimestamp(event: aclrtEvent, timestamp: *mut u64) -> aclError = recorded [event];
    /// Succeeds only if both events are complete.
    fn aclrtEventElapsedTime(ms: *mut f32, start: aclrtEvent, end: aclrtEvent) -> aclError = recorded [start, end];
    fn aclrtLaunchCallback(function: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream)
        -> aclError = announced [stream, function];
    fn aclrtLaunchHostFunc(stream: aclrtStream, function: aclrtHostFunc, args: *mut c_void) -> aclError = announced [stream, function];
    fn aclrtSubscribeReport(thread: u64, stream: aclrtStream) -> aclError = recorded [thread, stream];
    fn aclrtUnSubscribeReport(thread: u64, stream: aclrtStream) -> aclError = recorded [thread, stream];
    /// Runs callbacks of the program, whose calls are recorded.
    fn aclrtProcessReport(timeout: i32) -> aclError = callbacks_run;
}

fn default_named(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    stream: *mut aclrtStream,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        if status == 0 {
            recorder.detect_device();
        }
        let name = written(stream, status == 0).map_or(0, |name| name as u64);
        record_call(recorder, 0, &[name], status);
    });
    status
}

fn callbacks_run(hook: &Hook, forward: impl FnOnce() -> aclError) -> aclError {
    hook.allow_callbacks(forward)
}
