//! `dladdr` and `dladdr1`: for the address of a hook, they answer with the runtime's function. MindSpore finds CANN's folder by the file
//! that contains `aclrtMalloc`, and refuses to start if that is ours.

use super::TABLES;
use aclsan_os::loader::elf;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Type of `dladdr`.
type Dladdr = unsafe extern "C" fn(*const c_void, *mut libc::Dl_info) -> c_int;
/// Type of GNU's `dladdr1`.
type Dladdr1 =
    unsafe extern "C" fn(*const c_void, *mut libc::Dl_info, *mut *mut c_void, c_int) -> c_int;

/// The address to query. Neither locks nor allocates: allocators call `dladdr` before there is memory.
fn meant(address: *const c_void) -> *const c_void {
    let mut rows = TABLES.iter().copied().flatten().copied().flatten();
    let definition = rows.find_map(|row| row.next_of(address.cast()));
    definition.map_or(address, |definition| definition.cast())
}

/// libc's definition of `name`, looked up once.
fn real(kept: &AtomicPtr<()>, name: &[u8]) -> Option<*mut ()> {
    if kept.load(Relaxed).is_null() {
        kept.store(elf::libc_symbol(name)?.cast_mut(), Relaxed);
    }
    Some(kept.load(Relaxed))
}

/// `dladdr`.
#[cfg_attr(not(test), unsafe(export_name = "dladdr"))]
pub unsafe extern "C" fn dladdr_entry(address: *const c_void, info: *mut libc::Dl_info) -> c_int {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    let Some(real) = real(&REAL, b"dladdr") else {
        return 0;
    };
    // SAFETY: libc's definition, whose type its header gives.
    let real = unsafe { std::mem::transmute::<*mut (), Dladdr>(real) };
    // SAFETY: the caller's own arguments, except for an address inside a loaded library.
    unsafe { real(meant(address), info) }
}

/// `dladdr1`.
#[cfg_attr(not(test), unsafe(export_name = "dladdr1"))]
pub unsafe extern "C" fn dladdr1_entry(
    address: *const c_void,
    info: *mut libc::Dl_info,
    extra: *mut *mut c_void,
    flags: c_int,
) -> c_int {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    let Some(real) = real(&REAL, b"dladdr1") else {
        return 0;
    };
    // SAFETY: libc's definition, whose type its header gives.
    let real = unsafe { std::mem::transmute::<*mut (), Dladdr1>(real) };
    // SAFETY: the caller's own arguments, except for an address inside a loaded library.
    unsafe { real(meant(address), info, extra, flags) }
}
