//! Reserves address ranges, maps memory into them, and gives both back. For guard pages only; the program's own virtual memory calls are
//! hooked in `calls::virtual_memory`.

use super::slots;
use crate::abi::*;
use aclsan_guards::{MapError, Mapping};
use std::ffi::c_void;

fn answered(status: Option<i32>) -> Result<(), MapError> {
    match status {
        Some(0) => Ok(()),
        Some(status) => Err(MapError::Failed(status)),
        None => Err(MapError::Missing),
    }
}

/// Reserves `pages` bytes and one more page of `page` bytes, and backs the first `pages` bytes with memory of the device. Refuses if less
/// than an eighth of the device's memory would stay free for the program. `is_free` tells whether no guarded block overlaps a range that
/// starts at an address.
pub fn map(
    device: u32,
    pages: u64,
    page: u64,
    is_free: impl FnOnce(u64) -> bool,
) -> Result<Mapping, MapError> {
    if !(slots::RESERVE.is_defined()
        && slots::MALLOC_PHYSICAL.is_defined()
        && slots::MAP.is_defined())
    {
        return Err(MapError::Missing);
    }
    let (mut free, mut total) = (0, 0);
    let told = slots::GET_MEM_INFO.status(|info| info(ACL_HBM_MEM, &mut free, &mut total));
    answered(told)?;
    if (free as u64) < pages.saturating_add(total as u64 / 8) {
        return Err(MapError::TooLittleMemory);
    }
    let mut base = std::ptr::null_mut();
    let whole = (pages + page) as usize;
    let reserved =
        slots::RESERVE.status(|reserve| reserve(&mut base, whole, 0, std::ptr::null_mut(), 0));
    answered(reserved)?;
    let start = base as u64;
    if start == 0 || !start.is_multiple_of(page) || start >> 56 != 0 || !is_free(start) {
        return Err(MapError::BadRange); // Not unreserved: it may belong to somebody else.
    }
    let property = aclrtPhysicalMemProp {
        handleType: ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation {
            id: device,
            type_: ACL_MEM_LOCATION_TYPE_DEVICE,
        },
        reserve: 0,
    };
    let mut handle = std::ptr::null_mut();
    let allocated = slots::MALLOC_PHYSICAL
        .status(|allocate| allocate(&mut handle, pages as usize, &property, 0));
    if let Err(refusal) = answered(allocated) {
        unreserve(base as u64);
        return Err(refusal);
    }
    let mapped = slots::MAP.status(|map| map(base, pages as usize, 0, handle, 0));
    if let Err(refusal) = answered(mapped) {
        free_memory(handle as u64);
        unreserve(base as u64);
        return Err(refusal);
    }
    Ok(Mapping {
        base: base as u64,
        handle: handle as u64,
    })
}

/// Unmaps and frees the memory of a range; the addresses stay reserved. `false` if the runtime refuses.
pub fn unmap(mapping: &Mapping) -> bool {
    let status = slots::UNMAP.status(|unmap| unmap(mapping.base as *mut c_void));
    status == Some(0) && free_memory(mapping.handle)
}

fn free_memory(handle: u64) -> bool {
    let status = slots::FREE_PHYSICAL.status(|free| free(handle as aclrtDrvMemHandle));
    status == Some(0)
}

/// Releases the addresses of a range with nothing mapped in it; `false` if the runtime refuses.
pub fn unreserve(base: u64) -> bool {
    let status = slots::RELEASE.status(|release| release(base as *mut c_void));
    status == Some(0)
}

/// Synchronizes the current device, as the program's `aclrtFreeWithDevSync` would. Returns the runtime's status.
pub fn wait_for_device() -> i32 {
    let status = slots::SYNCHRONIZE_DEVICE.forward(|wait| wait());
    status.unwrap_or(super::ACL_ERROR_API_NOT_SUPPORT)
}
