//! The beginning and end of the process and of devices.

use super::function::{Function, now};
use super::role::Role::*;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclInit", Initialize),
    now("aclFinalize", Finalize),
    // Also 0 if the program does not ask how many are left.
    now("aclFinalizeReference", Finalize).with(&["references"]),
    now("aclrtSetDevice", SetDevice).with(&["device"]),
    now("aclrtResetDevice", ResetDevice).with(&["device"]),
    now("aclrtResetDeviceForce", ResetDeviceForce).with(&["device"]),
    now("aclrtGetMemInfo", MemoryInfo),
    now("aclrtGetRunMode", Order).with(&["mode"]),
    now("aclrtCreateContext", Order).with(&["device", "context"]),
    now("aclrtDestroyContext", Order).with(&["context"]),
    now("aclrtSetCurrentContext", Order).with(&["context"]),
    now("exit", Order),
];
