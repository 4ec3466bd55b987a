//! Blocks of device, pinned and media memory.

use crate::api::family::Family;
use crate::api::function::Role::*;
use crate::api::function::{Function, now};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMalloc", Allocate(Family::Device)).padded().before_page(),
    now("aclrtMallocAlign32", Allocate(Family::Device)).before_page(),
    now("aclrtMallocCached", Allocate(Family::Device)).padded(),
    now("aclrtMallocWithCfg", Allocate(Family::Device)).with(&["module"]),
    now("aclrtMallocForTaskScheduler", Allocate(Family::Device)).with(&["module"]),
    now("aclrtFree", Release(Family::Device)),
    now("aclrtFreeWithDevSync", Release(Family::Device)).after_device(),
    now("aclrtMallocHost", Allocate(Family::Pinned)),
    now("aclrtMallocHostWithCfg", Allocate(Family::Pinned)),
    now("aclrtFreeHost", Release(Family::Pinned)),
    now("aclrtFreeHostWithDevSync", Release(Family::Pinned)).after_device(),
    now("acldvppMalloc", Allocate(Family::Dvpp)).padded(),
    now("acldvppMallocWithCfg", Allocate(Family::Dvpp)).padded().with(&["module"]),
    now("acldvppFree", Release(Family::Dvpp)),
    now("hi_mpi_dvpp_malloc", Allocate(Family::DvppMpi)).padded(),
    now("hi_mpi_dvpp_free", Release(Family::DvppMpi)),
    now("rtMalloc", Allocate(Family::Device)).below(),
    now("rtMallocCached", Allocate(Family::Device)).below(),
    now("rtFree", Release(Family::Device)).below(),
    now("rtMallocHost", Allocate(Family::Pinned)).below(),
    now("rtFreeHost", Release(Family::Pinned)).below(),
    now("rtFreeWithDevSync", Release(Family::Device)).below().after_device(),
    now("rtFreeHostWithDevSync", Release(Family::Pinned)).below().after_device(),
    now("rtsMalloc", Allocate(Family::Device)).below(),
    now("rtMemAlloc", Allocate(Family::Device)).below(),
    now("rtsFree", Release(Family::Device)).below(),
    now("rtsMallocHost", Allocate(Family::Pinned)).below(),
    now("rtsFreeHost", Release(Family::Pinned)).below(),
];
