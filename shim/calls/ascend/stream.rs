//! Streams, events and callbacks, as far as stream order needs them.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents, redzone_check};
use crate::record::Hook;
use aclsan_rules::api::family::Family;
use std::ffi::c_void;

/// Generates hooks that forward, then record the call with its values.
macro_rules! ordered {
    ($($behavior:ident: $name:ident($($arg:ident: $ty:ty),*), $values:expr;)+) => {
        $(#[allow(clippy::too_many_arguments)] // AscendCL's
        fn $behavior(hook: &Hook, next: $name::Fn $(, $arg: $ty)*) -> aclError {
            // SAFETY: the caller's own arguments.
            let status = unsafe { next($($arg),*) };
            hook.record(|recorder| {
                crate::heap::redzone_check::check_before_report(recorder, status);
                RecordEvents::record_call(recorder, 0, &$values, status)
            });
            status
        })+
    };
}

/// As `ordered`, for calls after which work is complete: guards may be checked.
macro_rules! awaited {
    ($($behavior:ident: $name:ident($($arg:ident: $ty:ty),*), $values:expr;)+) => {
        $(fn $behavior(hook: &Hook, next: $name::Fn $(, $arg: $ty)*) -> aclError {
            // SAFETY: the caller's own arguments.
            let status = super::exception::wait(hook, || unsafe { next($($arg),*) });
            hook.record(|recorder| {
                crate::heap::redzone_check::check_before_report(recorder, status);
                let call = recorder.record_call(0, &$values, status);
                if status == 0 {
                    redzone_check::check_after_sync(recorder, &call);
                }
            });
            status
        })+
    };
}

/// Generates hooks that record the call, then forward: a host function of the program may see the work complete before the call returns. A
/// failure is recorded afterwards.
macro_rules! predicted {
    ($($behavior:ident: $name:ident($($arg:ident: $ty:ty),*), $values:expr;)+) => {
        $(fn $behavior(hook: &Hook, next: $name::Fn $(, $arg: $ty)*) -> aclError {
            let values = $values;
            hook.record(|recorder| recorder.record_call(0, &values, 0));
            // SAFETY: the caller's own arguments.
            let status = unsafe { next($($arg),*) };
            if status != 0 {
                hook.record(|recorder| recorder.record_call(0, &values, status));
            }
            status
        })+
    };
}

/// Generates hooks that forward, then record the created handle. The program may have asked for callbacks about streams.
macro_rules! creating {
    ($($behavior:ident: $name:ident($out:ident: $out_ty:ty $(, $arg:ident: $ty:ty)*);)+) => {
        $(fn $behavior(hook: &Hook, next: $name::Fn, $out: $out_ty $(, $arg: $ty)*) -> aclError {
            // SAFETY: the caller's own arguments.
            let status = hook.allow_callbacks(|| unsafe { next($out $(, $arg)*) });
            made(hook, $out, 0, status)
        })+
    };
}
pub(super) use {creating, ordered, predicted};

/// Recorded with its flag: a persistent stream keeps what it is given and does not run it by itself.
fn on_create_with_config(
    hook: &Hook,
    next: aclrtCreateStreamWithConfig::Fn,
    stream: *mut aclrtStream,
    priority: u32,
    flag: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = hook.allow_callbacks(|| unsafe { next(stream, priority, flag) });
    made_with(hook, flag, stream, 0, status)
}

/// Recorded with its flag, which says whether other processes may record the event.
fn on_create_event_with_flag(
    hook: &Hook,
    next: aclrtCreateEventWithFlag::Fn,
    event: *mut aclrtEvent,
    flag: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = hook.allow_callbacks(|| unsafe { next(event, flag) });
    made_with(hook, flag, event, 0, status)
}

/// Records the handle in `out`, which represents `size` bytes, or the failure.
pub(super) fn made(hook: &Hook, out: *mut *mut c_void, size: u64, status: i32) -> aclError {
    made_with(hook, 0, out, size, status)
}

/// As [`made`], for a call with an argument.
fn made_with(
    hook: &Hook,
    argument: u32,
    out: *mut *mut c_void,
    size: u64,
    status: i32,
) -> aclError {
    hook.record(|recorder| {
        // SAFETY: null, or a pointer through which the runtime has written one on success.
        match unsafe { out.as_ref() }.filter(|_| status == 0) {
            Some(&handle) => {
                // A stream is created in a context; for events no document says so, and the query must not fail.
                if hook.function.family() == Some(Family::Stream) {
                    recorder.detect_device();
                }
                let call = recorder.call(argument);
                recorder.record_object(&call, handle as u64, size);
            }
            None => {
                recorder.record_call(argument, &[], status);
            }
        }
    });
    status
}

/// The value that the runtime wrote to an out-parameter; 0 if it is null.
pub(super) fn written<T: Copy + Into<u64>>(pointer: *mut T) -> u64 {
    // SAFETY: the caller's own pointer, through which the runtime writes a value in any call that succeeds, and which is aligned by its type.
    unsafe { pointer.as_ref() }.map_or(0, |&value| value.into())
}

/// The handle that the runtime wrote to an out-parameter; 0 if it is null. Only after success.
pub(super) fn written_handle(pointer: *mut *mut c_void) -> u64 {
    // SAFETY: as in `written`.
    unsafe { pointer.as_ref() }.map_or(0, |&handle| handle as u64)
}

interpose! {
    fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError = on_create;
    fn aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError = on_create_with_config;
    fn aclrtCreateStreamV2(stream: *mut aclrtStream, handle: *const aclrtStreamConfigHandle) -> aclError = on_create_configured;
    /// Another name for the default stream.
    fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError = on_name_default;
    fn aclrtDestroyStream(stream: aclrtStream) -> aclError = on_destroy;
    fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError = on_destroy;
    /// Stops the running work of the stream, and drops work that has not begun.
    fn aclrtDeviceTaskAbort(device: i32, timeout: u32) -> aclError = on_device_abort;
    fn aclrtStreamAbort(stream: aclrtStream) -> aclError = on_abort;
    fn aclrtStreamStop(stream: aclrtStream) -> aclError = on_abort;
    /// Starts what another stream has queued.
    fn aclrtActiveStream(active: aclrtStream, stream: aclrtStream) -> aclError = on_activate;
    fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError = on_stream;
    fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> aclError = on_stream_timeout;
    fn aclrtSynchronizeDevice() -> aclError = on_device => SYNCHRONIZE_DEVICE;
    fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError = on_timeout;
    fn aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError = on_stream_query;
    fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError = on_create_event;
    fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = on_create_event_with_flag;
    fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = on_create_event_with_flag;
    /// An event of another process.
    fn aclrtIpcOpenEventHandle(handle: aclrtIpcEventHandle, event: *mut aclrtEvent) -> aclError = on_open_event;
    fn aclrtDestroyEvent(event: aclrtEvent) -> aclError = on_destroy;
    fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = on_event_stream;
    fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> aclError = on_record_with_flag;
    fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = on_event_stream;
    fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError = on_stream_event;
    fn aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> aclError = on_stream_event_timeout;
    fn aclrtStreamWaitEventWithFlag(stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32) -> aclError = on_stream_event_flag;
    fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError = on_event;
    fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> aclError = on_event_timeout;
    fn aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError = on_event_query;
    fn aclrtQueryEvent(event: aclrtEvent, status: *mut aclrtEventStatus) -> aclError = on_event_query_old;
    fn aclrtQueryEventWaitStatus(event: aclrtEvent, status: *mut aclrtEventWaitStatus) -> aclError = on_event_query_wait;
    /// Succeeds only if the event is complete.
    fn aclrtEventGetTimestamp(event: aclrtEvent, timestamp: *mut u64) -> aclError = on_timestamp;
    /// Succeeds only if both events are complete.
    fn aclrtEventElapsedTime(ms: *mut f32, start: aclrtEvent, end: aclrtEvent) -> aclError = on_elapsed;
    fn aclrtLaunchCallback(function: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream)
        -> aclError = on_callback;
    fn aclrtLaunchHostFunc(stream: aclrtStream, function: aclrtHostFunc, args: *mut c_void) -> aclError = on_host_function;
    fn aclrtSubscribeReport(thread: u64, stream: aclrtStream) -> aclError = on_subscription;
    fn aclrtUnSubscribeReport(thread: u64, stream: aclrtStream) -> aclError = on_subscription;
    fn aclrtProcessReport(timeout: i32) -> aclError = on_process_report;
}

creating! {
    on_create: aclrtCreateStream(stream: *mut aclrtStream);
    on_create_configured: aclrtCreateStreamV2(stream: *mut aclrtStream, handle: *const aclrtStreamConfigHandle);
    on_create_event: aclrtCreateEvent(event: *mut aclrtEvent);
}

ordered! {
    on_device_abort: aclrtDeviceTaskAbort(device: i32, timeout: u32), [device as u32 as u64];
    on_abort: aclrtStreamAbort(stream: aclrtStream), [stream as u64];
    on_activate: aclrtActiveStream(active: aclrtStream, stream: aclrtStream), [active as u64, stream as u64];
}

awaited! {
    on_stream: aclrtSynchronizeStream(stream: aclrtStream), [stream as u64];
    on_stream_timeout: aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32), [stream as u64];
    on_device: aclrtSynchronizeDevice(), [];
    on_timeout: aclrtSynchronizeDeviceWithTimeout(timeout: i32), [];
    on_event: aclrtSynchronizeEvent(event: aclrtEvent), [event as u64];
    on_event_timeout: aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32), [event as u64];
}

ordered! {
    on_stream_query: aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus), [stream as u64, written(status)];
    on_event_stream: aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream), [event as u64, stream as u64];
    on_record_with_flag: aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32), [event as u64, stream as u64, flag.into()];
    on_stream_event: aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent), [stream as u64, event as u64];
    on_stream_event_timeout: aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32),
        [stream as u64, event as u64];
    on_stream_event_flag: aclrtStreamWaitEventWithFlag(stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32),
        [stream as u64, event as u64];
    on_subscription: aclrtSubscribeReport(thread: u64, stream: aclrtStream), [thread, stream as u64];
    on_event_query: aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus), [event as u64, written(status)];
    on_event_query_old: aclrtQueryEvent(event: aclrtEvent, status: *mut aclrtEventStatus), [event as u64, written(status)];
    on_event_query_wait: aclrtQueryEventWaitStatus(event: aclrtEvent, status: *mut aclrtEventWaitStatus), [event as u64, written(status)];
    on_timestamp: aclrtEventGetTimestamp(event: aclrtEvent, timestamp: *mut u64), [event as u64];
    on_elapsed: aclrtEventElapsedTime(ms: *mut f32, start: aclrtEvent, end: aclrtEvent), [start as u64, end as u64];
}

predicted! {
    on_callback: aclrtLaunchCallback(function: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream),
        [stream as u64, function.map_or(0, |f| f as usize as u64)];
    on_host_function: aclrtLaunchHostFunc(stream: aclrtStream, function: aclrtHostFunc, args: *mut c_void),
        [stream as u64, function.map_or(0, |f| f as usize as u64)];
}

fn on_name_default(
    hook: &Hook,
    next: aclrtCtxGetCurrentDefaultStream::Fn,
    stream: *mut aclrtStream,
) -> aclError {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(stream) };
    hook.record(|recorder| {
        let mut name = 0;
        if status == 0 {
            recorder.detect_device();
            name = written_handle(stream);
        }
        recorder.record_call(0, &[name], status);
    });
    status
}

fn on_open_event(
    hook: &Hook,
    next: aclrtIpcOpenEventHandle::Fn,
    handle: aclrtIpcEventHandle,
    event: *mut aclrtEvent,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, event) };
    made(hook, event, 0, status)
}

/// Records that a stream or event is destroyed.
fn on_destroy(hook: &Hook, next: aclrtDestroyStream::Fn, handle: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument.
    let forward = || unsafe { next(handle) };
    heap::release(hook, handle as u64, || hook.allow_callbacks(forward))
}

/// Runs callbacks of the program, whose calls are recorded.
fn on_process_report(hook: &Hook, next: aclrtProcessReport::Fn, timeout: i32) -> aclError {
    // SAFETY: the caller's own argument.
    hook.allow_callbacks(|| unsafe { next(timeout) })
}
