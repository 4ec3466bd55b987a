//! Blocks of device, pinned and media memory.

use super::function::{Function, now};
use super::role::Role::*;
use crate::api::family::Family;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMalloc", Allocate(Family::Device)),
    now("aclrtMallocAlign32", Allocate(Family::Device)),
    now("aclrtMallocCached", Allocate(Family::Device)),
    now("aclrtMallocWithCfg", Allocate(Family::Device)),
    now("aclrtMallocForTaskScheduler", Allocate(Family::Device)),
    now("aclrtFree", Release(Family::Device)),
    now("aclrtFreeWithDevSync", Release(Family::Device)),
    now("aclrtMallocHost", Allocate(Family::Pinned)),
    now("aclrtMallocHostWithCfg", Allocate(Family::Pinned)),
    now("aclrtFreeHost", Release(Family::Pinned)),
    now("aclrtFreeHostWithDevSync", Release(Family::Pinned)),
    now("acldvppMalloc", Allocate(Family::Dvpp)),
    now("acldvppMallocWithCfg", Allocate(Family::Dvpp)),
    now("acldvppFree", Release(Family::Dvpp)),
    now("hi_mpi_dvpp_malloc", Allocate(Family::DvppMpi)),
    now("hi_mpi_dvpp_free", Release(Family::DvppMpi)),
    now("rtMalloc", Allocate(Family::Device)),
    now("rtMallocCached", Allocate(Family::Device)),
    now("rtFree", Release(Family::Device)),
    now("rtMallocHost", Allocate(Family::Pinned)),
    now("rtFreeHost", Release(Family::Pinned)),
    now("rtFreeWithDevSync", Release(Family::Device)),
    now("rtFreeHostWithDevSync", Release(Family::Pinned)),
    now("rtsMalloc", Allocate(Family::Device)),
    now("rtMemAlloc", Allocate(Family::Device)),
    now("rtsFree", Release(Family::Device)),
    now("rtsMallocHost", Allocate(Family::Pinned)),
    now("rtsFreeHost", Release(Family::Pinned)),
];
