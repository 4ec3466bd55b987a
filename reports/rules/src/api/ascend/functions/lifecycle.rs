//! The beginning and end of the process and of devices.

use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::{Function, now};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclInit", Initialize),
    now("aclFinalize", Finalize).sync(SyncRole::EndAll),
    // Also 0 if the program does not ask how many are left.
    now("aclFinalizeReference", Finalize).with(&["references"]).sync(SyncRole::EndReference),
    now("aclrtSetDevice", SetDevice).with(&["device"]).sync(SyncRole::SetDevice),
    // How long it took, in nanoseconds, if meanwhile another thread allocated what the reset did not drop.
    now("aclrtResetDevice", ResetDevice).with(&["device", "took"]).sync(SyncRole::ResetDevice),
    now("aclrtResetDeviceForce", ResetDeviceForce).with(&["device", "took"]).sync(SyncRole::ResetDevice),
    now("aclrtGetMemInfo", MemoryInfo),
    now("aclrtGetRunMode", Order).with(&["mode"]),
    now("aclrtCreateContext", Order).with(&["device", "context"]).sync(SyncRole::CreateContext),
    now("aclrtDestroyContext", Order).with(&["context"]).sync(SyncRole::DestroyContext),
    now("aclrtSetCurrentContext", Order).with(&["context"]),
    now("exit", Order),
];
