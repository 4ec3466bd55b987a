//! The calls behind blocks that end at an unmapped page: ranges reserved, memory mapped into them, and both given back. For guard pages alone;
//! what the program does with virtual memory of its own goes through `virtual_memory`.

use super::slots;
use crate::abi::*;
use aclsan_guards::{MapError, Mapping};
use std::ffi::c_void;

/// The next definition of a slot's function, or out with [`MapError::Missing`].
macro_rules! next {
    ($slot:ident) => {
        slots::$slot.next().ok_or(MapError::Missing)?
    };
}

fn answered(status: i32) -> Result<(), MapError> {
    match status {
        0 => Ok(()),
        status => Err(MapError::Failed(status)),
    }
}

/// Reserves `pages` bytes and one unmapped page of `page` bytes more, and maps memory of the device behind the first. Asks before how much
/// is free: an eighth of the device's memory stays the program's. `is_free` says whether nothing of ours lies in the range from a start on.
pub fn map(
    device: u32,
    pages: u64,
    page: u64,
    is_free: impl FnOnce(u64) -> bool,
) -> Result<Mapping, MapError> {
    let (info, reserve) = (next!(GET_MEM_INFO), next!(RESERVE));
    let (allocate, map_memory) = (next!(MALLOC_PHYSICAL), next!(MAP));
    let (mut free, mut total) = (0, 0);
    // SAFETY: writes into our own variables.
    answered(unsafe { info(ACL_HBM_MEM, &mut free, &mut total) })?;
    if (free as u64) < pages.saturating_add(total as u64 / 8) {
        return Err(MapError::TooLittleMemory);
    }
    let mut base = std::ptr::null_mut();
    let whole = (pages + page) as usize;
    // SAFETY: writes into our own variable.
    answered(unsafe { reserve(&mut base, whole, 0, std::ptr::null_mut(), 0) })?;
    let start = base as u64;
    if start == 0 || !start.is_multiple_of(page) || start >> 56 != 0 || !is_free(start) {
        return Err(MapError::BadRange); // Not given back: it may be somebody's.
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
    // SAFETY: reads our own property, writes into our own variable.
    if let Err(refusal) = answered(unsafe { allocate(&mut handle, pages as usize, &property, 0) }) {
        unreserve(base as u64);
        return Err(refusal);
    }
    // SAFETY: a range and memory that the runtime has just given us, of that size.
    if let Err(refusal) = answered(unsafe { map_memory(base, pages as usize, 0, handle, 0) }) {
        free_memory(handle as u64);
        unreserve(base as u64);
        return Err(refusal);
    }
    Ok(Mapping {
        base: base as u64,
        handle: handle as u64,
    })
}

/// Takes the memory of a range away; the range stays reserved, with nothing behind it. `false` if the runtime would not.
pub fn unmap(mapping: &Mapping) -> bool {
    let unmap = || {
        let unmap = next!(UNMAP);
        // SAFETY: the start of a mapping of ours, which nobody else ends: it was taken out of the table.
        answered(unsafe { unmap(mapping.base as *mut c_void) })
    };
    unmap().is_ok() && free_memory(mapping.handle)
}

fn free_memory(handle: u64) -> bool {
    let free = || {
        let free = next!(FREE_PHYSICAL);
        // SAFETY: a handle of ours, given back once.
        answered(unsafe { free(handle as aclrtDrvMemHandle) })
    };
    free().is_ok()
}

/// Gives a range back, in which nothing is mapped any more; `false` if the runtime would not.
pub fn unreserve(base: u64) -> bool {
    let release = || {
        let release = next!(RELEASE);
        // SAFETY: a range of ours, given back once.
        answered(unsafe { release(base as *mut c_void) })
    };
    release().is_ok()
}

/// Waits for the device, as `aclrtFreeWithDevSync` does.
pub fn wait_for_device() -> i32 {
    let wait = || {
        let wait = next!(SYNCHRONIZE_DEVICE);
        // SAFETY: takes nothing.
        answered(unsafe { wait() })
    };
    match wait() {
        Ok(()) => 0,
        Err(MapError::Failed(status)) => status,
        Err(_) => super::ACL_ERROR_API_NOT_SUPPORT,
    }
}
