//! Stream-ordered pools, shared buffers, and the program's own allocators.

use crate::api::family::Family;
use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMemPoolCreate", Allocate(Family::MemPool)).of_pool(),
    now("aclrtMemPoolDestroy", Release(Family::MemPool)).of_pool(),
    queued("aclrtMemPoolMallocAsync", Allocate(Family::Pool)).with(&["address", "size", "pool", "stream"]).sync(SyncRole::AllocateOn).of_pool(),
    queued("aclrtMemPoolFreeAsync", Release(Family::Pool)).with(&["address", "stream"]).sync(SyncRole::FreeOn).of_pool(),
    now("aclrtMemPoolSetAttr", Order).with(&["pool", "attribute", "value"]).sync(SyncRole::SetPool).of_pool(),
    now("aclrtMemPoolGetAttr", Order).with(&["pool", "attribute", "value"]).of_pool(),
    now("aclrtMemPoolTrimTo", Order).with(&["pool", "keep"]).of_pool(),
    now("aclrtAllocBuf", Allocate(Family::Buffer)),
    now("aclrtCopyBufRef", Allocate(Family::Buffer)),
    now("aclrtFreeBuf", Release(Family::Buffer)),
    now("aclrtGetBufData", State).with(&["buffer", "address", "size"]).does(Effect::ShowBuffer),
    now("aclrtAppendBufChain", Release(Family::Buffer)),
    now("aclrtAllocatorSetObjToDesc", Order).with(&["description", "allocator"]),
    now("aclrtAllocatorSetAllocFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetFreeFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetAllocAdviseFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", Order).with(&["description", "function"]),
    now("aclrtAllocatorRegister", Order).with(&["stream", "description"]),
    now("aclrtAllocatorUnregister", Order).with(&["stream"]),
];
