//! Streams, events and callbacks.

use super::function::{Function, now, queued};
use super::role::Role::*;
use crate::api::family::Family;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtCreateStream", Allocate(Family::Stream)),
    now("aclrtCreateStreamWithConfig", Allocate(Family::Stream)),
    now("aclrtCreateStreamV2", Allocate(Family::Stream)),
    now("aclrtCtxGetCurrentDefaultStream", Order).with(&["stream"]),
    now("aclrtDestroyStream", Release(Family::Stream)),
    now("aclrtDestroyStreamForce", Release(Family::Stream)),
    now("aclrtStreamAbort", Order).with(&["stream"]),
    now("aclrtDeviceTaskAbort", Order).with(&["device"]),
    now("aclrtSynchronizeStream", Order).with(&["stream"]),
    now("aclrtSynchronizeStreamWithTimeout", Order).with(&["stream"]),
    now("aclrtSynchronizeDevice", Order),
    now("aclrtSynchronizeDeviceWithTimeout", Order),
    now("rtStreamSynchronize", Order).with(&["stream"]),
    now("rtStreamSynchronizeWithTimeout", Order).with(&["stream"]),
    now("rtsStreamSynchronize", Order).with(&["stream"]),
    now("rtDeviceSynchronize", Order),
    now("rtDeviceSynchronizeWithTimeout", Order),
    now("rtsDeviceSynchronize", Order),
    now("rtEventSynchronize", Order).with(&["event"]),
    now("rtEventSynchronizeWithTimeout", Order).with(&["event"]),
    now("rtsEventSynchronize", Order).with(&["event"]),
    now("aclrtStreamQuery", Order).with(&["stream", "state"]),
    now("aclrtCreateEvent", Allocate(Family::Event)),
    now("aclrtCreateEventWithFlag", Allocate(Family::Event)),
    now("aclrtCreateEventExWithFlag", Allocate(Family::Event)),
    now("aclrtIpcOpenEventHandle", Allocate(Family::Event)),
    now("aclrtDestroyEvent", Release(Family::Event)),
    queued("aclrtRecordEvent", Order).with(&["event", "stream"]),
    queued("aclrtRecordEventWithFlag", Order).with(&["event", "stream", "flag"]),
    queued("aclrtResetEvent", Order).with(&["event", "stream"]),
    queued("aclrtStreamWaitEvent", Order).with(&["stream", "event"]),
    now("aclrtSynchronizeEvent", Order).with(&["event"]),
    now("aclrtSynchronizeEventWithTimeout", Order).with(&["event"]),
    now("aclrtQueryEventStatus", Order).with(&["event", "state"]),
    now("aclrtQueryEvent", Order).with(&["event", "state"]),
    now("aclrtQueryEventWaitStatus", Order).with(&["event", "state"]),
    now("aclrtEventGetTimestamp", Order).with(&["event"]),
    now("aclrtEventElapsedTime", Order).with(&["first", "second"]),
    queued("aclrtLaunchCallback", Order).with(&["stream", "function"]),
    queued("aclrtLaunchHostFunc", Order).with(&["stream", "function"]),
    now("aclrtProcessReport", Order),
    // Recorded for each error that the program's callback receives.
    now("aclrtSetExceptionInfoCallback", Order).with(&["stream", "task", "thread", "code"]),
    queued("aclrtLaunchKernel", Order).with(&["stream", "kernel"]),
    queued("aclrtLaunchKernelV2", Order).with(&["stream", "kernel"]),
    queued("aclrtLaunchKernelWithConfig", Order).with(&["stream", "kernel"]),
    queued("aclrtLaunchKernelWithArgsArray", Order).with(&["stream", "kernel"]),
    // Arguments that name blocks at an unmapped page, as many as fit.
    queued("aclrtLaunchKernelWithHostArgs", Order).with(&["stream", "kernel", "a", "b", "c", "d", "e", "f"]),
];
