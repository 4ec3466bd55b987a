//! Questions to the runtime. Each is asked where it cannot fail, or once: a question that fails leaves an error message behind, and
//! programs ask for the last one.

use super::next::RuntimeFn;
use super::slots;
use crate::abi;
use aclsan_os::cancel::Uncancelled;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What the runtime answers when memory is short: `ACL_ERROR_RT_MEMORY_ALLOCATION`, `ACL_ERROR_RT_DEVICE_OOM`, `ACL_ERROR_BAD_ALLOC`.
const OUT_OF_MEMORY: [i32; 3] = [207_001, 207_018, 200_000];

/// Whether `status` says that memory is short.
pub fn is_out_of_memory(status: i32) -> bool {
    OUT_OF_MEMORY.contains(&status)
}

/// `aclrtGetSocName`, if the runtime has it and answers.
pub fn soc_name() -> Option<String> {
    let _uncancelled = Uncancelled::enter();
    static SOC_NAME: RuntimeFn = RuntimeFn::new(c"aclrtGetSocName");
    let function = SOC_NAME.find()?;
    // SAFETY: the runtime's own definition, of this type by the header.
    let function = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn() -> *const c_char>(function)
    };
    // SAFETY: takes nothing, returns a string that the runtime keeps.
    let name = unsafe { function() };
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, and terminated, says the header.
    let name = unsafe { CStr::from_ptr(name) };
    Some(name.to_string_lossy().into_owned())
}

/// `aclrtGetRunMode`, if the runtime has it and answers: whether the program runs on the device itself, whose memory is the host's then.
pub fn is_on_device() -> Option<bool> {
    let _uncancelled = Uncancelled::enter();
    let next = slots::GET_RUN_MODE.next()?;
    let mut mode = 0;
    // SAFETY: writes into our own variable.
    (unsafe { next(&mut mode) } == 0).then_some(mode == abi::ACL_DEVICE)
}

/// `aclrtMemGetAddressRange`: bytes of the block that starts at `address`; 0 where the runtime has no such call. Only for an address that it
/// has just given out: a question that fails would leave an error message behind, so after one failure it is not asked again.
pub fn address_range(address: *mut c_void) -> u64 {
    let _uncancelled = Uncancelled::enter();
    static HAS_FAILED: AtomicBool = AtomicBool::new(false);
    let Some(next) = slots::GET_ADDRESS_RANGE.next() else {
        return 0;
    };
    if HAS_FAILED.load(Relaxed) {
        return 0;
    }
    let (mut base, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: writes into our own variables.
    let status = unsafe { next(address, &mut base, &mut size) };
    HAS_FAILED.fetch_or(status != 0, Relaxed);
    if status == 0 && base == address {
        size as u64
    } else {
        0
    }
}

/// `aclrtGetDevice`: the calling thread's device, if it has one.
pub fn current_device() -> Option<i32> {
    let _uncancelled = Uncancelled::enter();
    static GET_DEVICE: RuntimeFn = RuntimeFn::new(c"aclrtGetDevice");
    let function = GET_DEVICE.find()?;
    // SAFETY: the runtime's own definition, of this type by the header.
    let function = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn(*mut i32) -> i32>(function)
    };
    let mut device = -1;
    // SAFETY: writes into our own variable.
    (unsafe { function(&mut device) } == 0).then_some(device)
}
