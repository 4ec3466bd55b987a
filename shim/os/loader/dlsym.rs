//! libc's own `dlsym`, past our export of that name, and what keeps loaded what it finds.

use super::elf;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// What a reference is taken with: nothing is loaded, no constructor runs, and the library stays however often it is closed.
const STAYS: c_int = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;

/// Takes a reference to the library that `address` lies in: the program may close it, and hooks go on calling there.
pub fn keep_loaded(address: *const ()) {
    if let Some(library) = library_at(address) {
        // SAFETY: the loader's own name for the library; nothing is loaded.
        unsafe { libc::dlopen(library, STAYS) };
    }
}

/// What `symbol` is in the scope of the library that `caller` lies in; null where that has none.
pub fn seen_from(caller: *const (), symbol: &CStr) -> *mut c_void {
    let Some(library) = library_at(caller) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the loader's own name for the library; nothing is loaded.
    let handle = unsafe { libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return std::ptr::null_mut();
    }
    let found = dlsym(handle, symbol);
    // SAFETY: opened above; its caller keeps it loaded.
    unsafe { libc::dlclose(handle) };
    found
}

/// The loader's name for the library that `address` lies in.
fn library_at(address: *const ()) -> Option<*const c_char> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: fills `info`, our own variable, when it knows the address.
    if unsafe { libc::dladdr(address.cast(), info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: filled above.
    Some(unsafe { info.assume_init() }.dli_fname)
}

/// libc's own `dlsym`, past our export of that name; null for no such symbol. `RTLD_NEXT` means after this library.
#[expect(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "a handle is the loader's own, or the program's argument to `dlsym`"
)]
pub fn dlsym(handle: *mut c_void, symbol: &CStr) -> *mut c_void {
    let Some(real) = real_dlsym() else {
        return std::ptr::null_mut();
    };
    // SAFETY: libc's dlsym, with a handle that the caller answers for and a terminated name.
    unsafe { real(handle, symbol.as_ptr()) }
}

/// Type of `dlsym`.
pub type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// libc's `dlsym`, found in its symbol table; `None` on a libc that has none, where hooks cannot forward.
pub fn real_dlsym() -> Option<Dlsym> {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    let mut real = REAL.load(Relaxed);
    if real.is_null() {
        real = elf::libc_symbol(b"dlsym")?.cast_mut();
        REAL.store(real, Relaxed);
    }
    // SAFETY: libc's definition, whose type POSIX gives.
    Some(unsafe { std::mem::transmute::<*mut (), Dlsym>(real) })
}

/// Type of `dlclose`.
pub type Dlclose = unsafe extern "C" fn(*mut c_void) -> c_int;
