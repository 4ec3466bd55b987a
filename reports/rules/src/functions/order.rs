//! Streams, events and callbacks.

use super::{Family, Function, Role::*, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtCreateStream", Allocate(Family::Stream)),
    now("aclrtCreateStreamWithConfig", Allocate(Family::Stream)),
    now("aclrtDestroyStream", Release(Family::Stream)),
    now("aclrtDestroyStreamForce", Release(Family::Stream)),
    now("aclrtStreamAbort", Order).with(&["stream"]),
    now("aclrtDeviceTaskAbort", Order).with(&["device"]),
    now("aclrtSynchronizeStream", Order).with(&["stream"]),
    now("aclrtSynchronizeStreamWithTimeout", Order).with(&["stream"]),
    now("aclrtSynchronizeDevice", Order),
    now("aclrtSynchronizeDeviceWithTimeout", Order),
    now("aclrtStreamQuery", Order).with(&["stream", "state"]),
    now("aclrtCreateEvent", Allocate(Family::Event)),
    now("aclrtCreateEventWithFlag", Allocate(Family::Event)),
    now("aclrtCreateEventExWithFlag", Allocate(Family::Event)),
    now("aclrtDestroyEvent", Release(Family::Event)),
    queued("aclrtRecordEvent", Order).with(&["event", "stream"]),
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
    // On record is each error that the program's function is told of.
    now("aclrtSetExceptionInfoCallback", Order).with(&["stream", "task", "thread", "code"]),
    queued("aclrtLaunchKernel", Order).with(&["stream", "kernel"]),
    queued("aclrtLaunchKernelV2", Order).with(&["stream", "kernel"]),
    queued("aclrtLaunchKernelWithConfig", Order).with(&["stream", "kernel"]),
    // What the arguments name of the blocks that end at an unmapped page, as many as there is room for.
    queued("aclrtLaunchKernelWithHostArgs", Order).with(&["stream", "kernel", "a", "b", "c", "d", "e", "f"]),
];
