//! Calls libc's own `dlsym`, bypassing our export of that name, and keeps loaded what it finds.

use super::dlerror::DlerrorGuard;
use super::elf;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Flags to take a reference: loads nothing, runs no constructor, and pins the library however often it is closed.
const STAYS: c_int = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;

/// Pins the library that contains `address`. The program may close it while hooks still call into it.
pub fn keep_loaded(address: *const ()) {
    if let Some(library) = library_at(address) {
        let _dlerror = DlerrorGuard::new();
        // SAFETY: the loader's own name for the library; nothing is loaded.
        unsafe { libc::dlopen(library, STAYS) };
    }
}

/// Looks `symbol` up in the scope of the library that contains `caller`; null if it has none.
pub fn seen_from(caller: *const (), symbol: &CStr) -> *mut c_void {
    let Some(library) = library_at(caller) else {
        return std::ptr::null_mut();
    };
    let _dlerror = DlerrorGuard::new();
    // SAFETY: the loader's own name for the library; nothing is loaded.
    let handle = unsafe { libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return std::ptr::null_mut();
    }
    let found = dlsym(handle, symbol);
    // SAFETY: opened above; the caller keeps it loaded.
    unsafe { libc::dlclose(handle) };
    found
}

/// The loader's name for the library that contains `address`.
fn library_at(address: *const ()) -> Option<*const c_char> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: fills `info`, a local variable, if it knows the address.
    if unsafe { libc::dladdr(address.cast(), info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: filled above.
    Some(unsafe { info.assume_init() }.dli_fname)
}

/// libc's own `dlsym`, bypassing our export; null if there is no such symbol. `RTLD_NEXT` means after this library.
#[expect(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "a handle is the loader's own, or the program's argument to `dlsym`"
)]
pub fn dlsym(handle: *mut c_void, symbol: &CStr) -> *mut c_void {
    let Some(real) = real_dlsym() else {
        return std::ptr::null_mut();
    };
    // SAFETY: libc's dlsym with a terminated name; the caller vouches for the handle.
    unsafe { real(handle, symbol.as_ptr()) }
}

/// Type of `dlsym`.
pub type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// libc's `dlsym`, found in its symbol table. `None` on a libc without one, where hooks cannot forward.
pub fn real_dlsym() -> Option<Dlsym> {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    let mut real = REAL.load(Relaxed);
    if real.is_null() {
        real = elf::libc_symbol(b"dlsym")?.cast_mut();
        REAL.store(real, Relaxed);
    }
    // SAFETY: libc's definition, whose type POSIX specifies.
    Some(unsafe { std::mem::transmute::<*mut (), Dlsym>(real) })
}

/// Type of `dlclose`.
pub type Dlclose = unsafe extern "C" fn(*mut c_void) -> c_int;
