//! Stream-ordered pools, shared buffers, and the program's own allocators.

use super::function::{Function, now, queued};
use super::role::Role::*;
use crate::api::family::Family;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMemPoolCreate", Allocate(Family::MemPool)),
    now("aclrtMemPoolDestroy", Release(Family::MemPool)),
    queued("aclrtMemPoolMallocAsync", Allocate(Family::Pool)).with(&["address", "size", "pool", "stream"]),
    queued("aclrtMemPoolFreeAsync", Release(Family::Pool)).with(&["address", "stream"]),
    now("aclrtMemPoolSetAttr", Order).with(&["pool", "attribute", "value"]),
    now("aclrtMemPoolGetAttr", Order).with(&["pool", "attribute", "value"]),
    now("aclrtMemPoolTrimTo", Order).with(&["pool", "keep"]),
    now("aclrtAllocBuf", Allocate(Family::Buffer)),
    now("aclrtCopyBufRef", Allocate(Family::Buffer)),
    now("aclrtFreeBuf", Release(Family::Buffer)),
    now("aclrtGetBufData", State).with(&["buffer", "address", "size"]),
    now("aclrtAppendBufChain", Release(Family::Buffer)),
    now("aclrtAllocatorCreateDesc", Order).with(&["description"]),
    now("aclrtAllocatorDestroyDesc", Order).with(&["description"]),
    now("aclrtAllocatorSetObjToDesc", Order).with(&["description", "allocator"]),
    now("aclrtAllocatorSetAllocFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetFreeFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetAllocAdviseFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorRegister", Order).with(&["stream", "description"]),
    now("aclrtAllocatorUnregister", Order).with(&["stream"]),
];
