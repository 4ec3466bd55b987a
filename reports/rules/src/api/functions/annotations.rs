//! What programs report about themselves, through `aclsan.h` and mstx. Names, messages and domains are indices of
//! strings.

use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclsan_pool_create", Annotation).with(&["pool", "name", "address", "size"]).does(Effect::CreatePool),
    now("aclsan_pool_policy", Annotation).with(&["pool", "alignment", "rounding"]).does(Effect::PromisePool),
    now("aclsan_pool_alloc", Annotation).with(&["pool", "address", "size", "stream"]).does(Effect::AllocateInPool),
    now("aclsan_pool_free", Annotation).with(&["pool", "address", "stream"]).does(Effect::FreeInPool),
    now("aclsan_pool_destroy", Annotation).with(&["pool"]).does(Effect::DestroyPool),
    now("aclsan_epoch", Annotation).with(&["name"]),
    now("aclsan_name_block", Annotation).with(&["address", "name"]),
    now("aclsan_snapshot", Annotation).with(&["name", "blocks", "bytes"]),
    now("aclsan_ignore_begin", Annotation).with(&["depth"]),
    now("aclsan_ignore_end", Annotation).with(&["depth"]),
    now("aclsan_category", Annotation).with(&["address", "name"]),
    now("aclsan_category_push", Annotation).with(&["name"]),
    now("aclsan_category_pop", Annotation),
    now("aclsan_start", Annotation),
    now("aclsan_stop", Annotation),
    now("aclsan_check", Annotation).with(&["damaged"]),
    // The shim itself asks how much memory is free.
    now("aclsan_memory", MemoryInfo),
    now("mstxMarkA", Annotation).with(&["domain", "message", "stream"]),
    now("mstxRangeStartA", Annotation).with(&["domain", "message", "stream", "range"]),
    now("mstxRangeEnd", Annotation).with(&["domain", "range"]),
    now("mstxDomainCreateA", Annotation).with(&["name"]),
    now("mstxDomainDestroy", Annotation).with(&["name"]),
    now("mstxDomainMarkA", Annotation).with(&["domain", "message", "stream"]),
    now("mstxDomainRangeStartA", Annotation).with(&["domain", "message", "stream", "range"]),
    now("mstxDomainRangeEnd", Annotation).with(&["domain", "range"]),
    now("mstxMemHeapRegister", Annotation).with(&["domain", "heap", "address", "size", "device"]).does(Effect::RegisterHeap),
    now("mstxMemHeapUnregister", Annotation).with(&["domain", "heap"]).does(Effect::UnregisterHeap),
    now("mstxMemRegionsRegister", Annotation).with(&["domain", "heap", "address", "size", "device", "region"]).does(Effect::RegisterRegions),
    now("mstxMemRegionsUnregister", Annotation).with(&["domain", "is_handle", "region"]).does(Effect::UnregisterRegions),
    now("mstxMemPermissionsAssign", Annotation).with(&["domain", "is_handle", "region", "flags"]),
];
