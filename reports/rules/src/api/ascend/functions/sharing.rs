//! Memory that several processes or processors access: blocks shared by key, registered host memory, managed memory.

use crate::api::family::Family;
use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtIpcMemGetExportKey", Allocate(Family::Exported)).with(&["address", "size"]),
    now("aclrtIpcMemImportByKey", Allocate(Family::Imported)).with(&["key"]),
    now("aclrtIpcMemClose", Release(Family::Exported)).with(&["key"]),
    now("aclrtIpcMemSetImportPid", State).with(&["key"]),
    now("aclrtIpcMemSetAttr", State).with(&["key", "type", "attribute"]),
    now("aclrtIpcMemImportPidInterServer", State).with(&["key"]),
    now("aclrtHostRegister", Allocate(Family::Registered)).with(&["host", "size", "device"]).does(Effect::RegisterHost),
    now("aclrtHostRegisterV2", Allocate(Family::Registered)).with(&["host", "size"]).does(Effect::RegisterHost),
    now("aclrtHostGetDevicePointer", State).with(&["host", "device"]).does(Effect::LocateHost),
    now("aclrtHostUnregister", Release(Family::Registered)).with(&["unmapped"]).does(Effect::UnregisterHost),
    now("aclrtMemAllocManaged", Allocate(Family::Managed)),
    now("aclrtMemManagedAdvise", Order).with(&["address", "size", "advice"]),
    queued("aclrtMemManagedPrefetchAsync", Order).with(&["address", "size", "stream"]),
    queued("aclrtMemManagedPrefetchBatchAsync", Order).with(&["ranges", "stream"]),
    now("aclrtMemGetAddressRange", Order),
    now("aclrtPointerGetAttributes", Order),
];
