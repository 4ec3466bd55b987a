//! Streams, events and callbacks, as far as the log needs them to tell what was ordered after what.

use super::interpose;
use crate::abi::*;
use crate::hook::Hook;
use aclsan_log::Event;
use std::ffi::c_void;

/// Hooks that forward, then put the call on record with a stream and an event; `*p` is what the runtime has written through `p`.
macro_rules! ordered {
    ($($behaviour:ident: $name:ident($($arg:ident: $ty:ty),*), $stream:expr, $event:expr;)+) => {
        $(fn $behaviour(hook: &Hook, next: $name::Fn $(, $arg: $ty)*) -> aclError {
            // SAFETY: the caller's own arguments.
            let status = unsafe { next($($arg),*) };
            hook.record(|recorder| {
                let site = recorder.call(0).site;
                let (first, second): (u64, u64) = ($stream, $event);
                recorder.event(&Event::Call { site, first, second, status });
                if status != 0 {
                    recorder.name_status(status);
                }
            });
            status
        })+
    };
}

/// What the runtime has written through a pointer; 0 if it is null.
fn written<T: Copy + Into<u64>>(pointer: *mut T) -> u64 {
    // SAFETY: the caller's own pointer, through which the runtime writes a value in any call that succeeds, and which is aligned by its type.
    unsafe { pointer.as_ref() }.map_or(0, |&value| value.into())
}

/// A handle that the runtime has written through a pointer; 0 if it is null.
fn handle(pointer: *mut *mut c_void) -> u64 {
    // SAFETY: as in `written`.
    unsafe { pointer.as_ref() }.map_or(0, |&value| value as u64)
}

interpose! {
    fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError = on_create;
    fn aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError = on_create_with_config;
    fn aclrtDestroyStream(stream: aclrtStream) -> aclError = on_stream;
    fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError = on_stream;
    fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError = on_stream;
    fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> aclError = on_stream_timeout;
    fn aclrtSynchronizeDevice() -> aclError = on_device;
    fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError = on_timeout;
    fn aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError = on_stream_query;
    fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError = on_create_event;
    fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = on_create_event_with_flag;
    fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError = on_create_event_with_flag;
    fn aclrtDestroyEvent(event: aclrtEvent) -> aclError = on_event;
    fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = on_event_stream;
    fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError = on_event_stream;
    fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError = on_stream_event;
    fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError = on_event;
    fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> aclError = on_event_timeout;
    fn aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError = on_event_query;
    fn aclrtLaunchCallback(function: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream)
        -> aclError = on_callback;
    fn aclrtLaunchHostFunc(stream: aclrtStream, function: aclrtHostFunc, args: *mut c_void) -> aclError = on_host_function;
    fn aclrtProcessReport(timeout: i32) -> aclError = on_process_report;
}

ordered! {
    on_create: aclrtCreateStream(stream: *mut aclrtStream), handle(stream), 0;
    on_create_with_config: aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32), handle(stream), 0;
    on_stream: aclrtSynchronizeStream(stream: aclrtStream), stream as u64, 0;
    on_stream_timeout: aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32), stream as u64, 0;
    on_device: aclrtSynchronizeDevice(), 0, 0;
    on_timeout: aclrtSynchronizeDeviceWithTimeout(timeout: i32), 0, 0;
    on_stream_query: aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus), stream as u64, written(status);
    on_create_event: aclrtCreateEvent(event: *mut aclrtEvent), 0, handle(event);
    on_create_event_with_flag: aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32), 0, handle(event);
    on_event: aclrtSynchronizeEvent(event: aclrtEvent), 0, event as u64;
    on_event_stream: aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream), stream as u64, event as u64;
    on_stream_event: aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent), stream as u64, event as u64;
    on_event_timeout: aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32), 0, event as u64;
    on_event_query: aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus), written(status), event as u64;
    on_callback: aclrtLaunchCallback(function: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream),
        stream as u64, function.map_or(0, |f| f as usize as u64);
    on_host_function: aclrtLaunchHostFunc(stream: aclrtStream, function: aclrtHostFunc, args: *mut c_void),
        stream as u64, function.map_or(0, |f| f as usize as u64);
}

/// Runs the program's callbacks, whose calls count like any others.
fn on_process_report(hook: &Hook, next: aclrtProcessReport::Fn, timeout: i32) -> aclError {
    // SAFETY: the caller's own argument.
    hook.step_out(|| unsafe { next(timeout) })
}
