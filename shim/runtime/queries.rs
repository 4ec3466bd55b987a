//! Queries to the runtime. Each is made only where it should succeed, and not again after it failed: a failed query sets the runtime's last
//! error message, which programs read.

use super::slots;
use crate::abi;
use aclsan_rules::api::functions;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The runtime's out-of-memory codes: `ACL_ERROR_RT_MEMORY_ALLOCATION`, `ACL_ERROR_RT_DEVICE_OOM`, `ACL_ERROR_BAD_ALLOC`.
const OUT_OF_MEMORY: [i32; 3] = [207_001, 207_018, 200_000];

/// Whether `status` means out of memory.
#[inline(always)]
pub fn is_out_of_memory(status: i32) -> bool {
    status != 0 && is_out_of_memory_code(status)
}

#[cold]
#[inline(never)]
fn is_out_of_memory_code(status: i32) -> bool {
    OUT_OF_MEMORY.contains(&status)
}

/// `aclrtGetSocName`; `None` if the runtime lacks it or has no answer.
pub fn soc_name() -> Option<String> {
    let name = slots::GET_SOC_NAME.call(|get| get())?;
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, and NUL-terminated by the header.
    let name = unsafe { CStr::from_ptr(name) };
    Some(name.to_string_lossy().into_owned())
}

/// `aclrtGetRunMode`: whether the program runs on the device itself, which then shares its memory with the host. `None` if the runtime
/// lacks the call or it fails.
pub fn is_on_device() -> Option<bool> {
    let mut mode = 0;
    let status = slots::GET_RUN_MODE.status(|get| get(&mut mode))?;
    (status == 0).then_some(mode == abi::ACL_DEVICE)
}

/// `aclrtMemGetAddressRange`: the size of the block that starts at `address`; 0 if the runtime lacks the call or it failed once. Only for an
/// address that the runtime has just returned.
pub fn address_range(address: *mut c_void) -> u64 {
    static HAS_FAILED: AtomicBool = AtomicBool::new(false);
    if HAS_FAILED.load(Relaxed) {
        return 0;
    }
    let (mut base, mut size) = (std::ptr::null_mut(), 0);
    let status = slots::GET_ADDRESS_RANGE.status(|range| range(address, &mut base, &mut size));
    HAS_FAILED.fetch_or(status.is_some_and(|status| status != 0), Relaxed);
    if status == Some(0) && base == address {
        size as u64
    } else {
        0
    }
}

/// The function that answers how much memory is free, and how the log calls it where the shim asks.
pub const MEMORY_INFO: u16 = functions::number("aclrtGetMemInfo");
pub const OWN_MEMORY_INFO: u16 = functions::number("aclsan_memory");
/// `ACL_HBM_MEM`, which on a chip without HBM means its other memory.
pub const HBM: u32 = abi::ACL_HBM_MEM;

/// `aclrtGetMemInfo`: free and total bytes of the thread's device; `None` if the runtime lacks the call or has no answer.
pub fn memory() -> Option<(u64, u64)> {
    let (mut free, mut total) = (0, 0);
    let status = slots::GET_MEM_INFO.status(|info| info(HBM, &mut free, &mut total))?;
    (status == 0 && total != 0).then_some((free as u64, total as u64))
}

/// `aclrtGetDevice`: the calling thread's device; `None` if it has none or the runtime lacks the call.
pub fn current_device() -> Option<i32> {
    let mut device = -1;
    let status = slots::GET_DEVICE.status(|get| get(&mut device))?;
    (status == 0).then_some(device)
}
