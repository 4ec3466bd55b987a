//! Reserved ranges, memory without addresses, and mappings of the one into the other.

use crate::api::family::Family;
use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now};

/// Values of a mapping: address, size, offset in the memory, handle of the memory.
const MAPPED: &[&str] = &["address", "size", "offset", "handle"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtReserveMemAddress", Allocate(Family::Reserved)),
    now("aclrtReserveMemAddressNoUCMemory", Allocate(Family::Reserved)),
    now("aclrtReleaseMemAddress", Release(Family::Reserved)),
    now("aclrtMallocPhysical", Allocate(Family::Physical)),
    now("aclrtMemImportFromShareableHandle", Allocate(Family::Physical)),
    now("aclrtMemImportFromShareableHandleV2", Allocate(Family::Physical)),
    // Recorded as a separate call if it releases what aclrtMemRetainAllocationHandle returned and the handle stays
    // valid.
    now("aclrtFreePhysical", Release(Family::Physical)).with(&["handle"]),
    now("aclrtMemRetainAllocationHandle", State).with(&["address", "handle"]),
    now("aclrtMapMem", Allocate(Family::Mapped)).with(MAPPED).does(Effect::Map),
    now("aclrtMemMapNoAccess", Allocate(Family::Mapped)).with(MAPPED).does(Effect::Map),
    now("aclrtMemMapSelectedLink", Allocate(Family::Mapped)).with(&["address", "size", "from", "link"]).does(Effect::MapLink),
    now("aclrtMemP2PMap", State).with(&["address", "size", "device", "flags"]),
    now("aclrtMemMapSetLink", State).with(&["handle", "link"]),
    now("aclrtUnmapMem", Release(Family::Mapped)),
    now("aclrtMemSetAccess", State).with(&["address", "size", "count"]).does(Effect::SetAccess),
    now("aclrtMemExportToShareableHandle", State).with(&["handle", "flags", "shareable"]),
    now("aclrtMemExportToShareableHandleV2", State).with(&["handle", "flags", "shareable"]),
];
