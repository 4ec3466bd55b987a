//! `dlopen` and `dlclose`.
//!
//! `RTLD_DEEPBIND` makes a library find its own dependencies before preloaded libraries, which bypasses us: the flag is dropped, with a
//! warning.

use super::{Answer, nothing};
use crate::runtime::next::Dlclose;
use crate::state;
use crate::state::attachment;
use crate::state::modules;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use aclsan_os::loader::LOOKUPS;
use aclsan_os::loader::{elf, late};
use aclsan_os::stderr;
use aclsan_unwind::modules::at_fork;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// libc's definition, which the naked entry jumps to; set by [`flags_of`] before it does.
pub static REAL_DLOPEN: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Type of `dlopen`.
type Dlopen = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;

/// Opens a library after an attach, so that its calls are redirected before the program makes them; in any other case, gives the flags to
/// open it with.
pub(super) extern "C" fn open(path: *const c_char, flags: c_int) -> Answer {
    let flags = flags_of(path, flags);
    if !is_found_from_anywhere(path, flags) {
        if !path.is_null() && flags & libc::RTLD_NOLOAD == 0 {
            attachment::expect_new();
        }
        return Answer {
            is_ours: 0,
            result: flags as u32 as usize as *const (),
        };
    }
    // SAFETY: libc's definition, whose type POSIX gives.
    let real = unsafe { std::mem::transmute::<*mut (), Dlopen>(REAL_DLOPEN.load(Relaxed)) };
    // SAFETY: the caller's own arguments.
    let handle = unsafe { real(path, flags) };
    if !handle.is_null() {
        attachment::on_loaded();
    }
    Answer {
        is_ours: 1,
        result: handle.cast_const().cast(),
    }
}

/// Whether this is an attached process, and the library one that is found wherever the caller is: by its path, without `$ORIGIN`.
fn is_found_from_anywhere(path: *const c_char, flags: c_int) -> bool {
    if !attachment::is_attached() || path.is_null() || flags & libc::RTLD_NOLOAD != 0 {
        return false;
    }
    // SAFETY: the caller's own argument, a terminated path by dlopen's contract.
    let path = unsafe { std::ffi::CStr::from_ptr(path) }.to_bytes();
    path.contains(&b'/') && !path.contains(&b'$')
}

/// The flags to open a library with.
fn flags_of(path: *const c_char, flags: c_int) -> c_int {
    if REAL_DLOPEN.load(Relaxed).is_null() {
        let real = elf::libc_symbol(b"dlopen").unwrap_or(nothing as *const ());
        REAL_DLOPEN.store(real.cast_mut(), Relaxed);
    }
    // Our own lookups open only what is already loaded.
    if flags & libc::RTLD_NOLOAD == 0 || flags & libc::RTLD_GLOBAL != 0 {
        LOOKUPS.fetch_add(1, Release);
        at_fork::invalidate();
    }
    // After an attach, calls are redirected however the library finds them.
    let is_no_matter = path.is_null() || flags & libc::RTLD_DEEPBIND == 0 || late::is_late();
    if is_no_matter || state::start::options().keep_deepbind {
        return flags;
    }
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Relaxed) {
        // SAFETY: the caller's own argument, a terminated path by dlopen's contract.
        let path = unsafe { std::ffi::CStr::from_ptr(path) }.to_string_lossy();
        stderr::warning(&format!(
            "`{path}` is opened without RTLD_DEEPBIND, which would make its calls bypass aclsan; ACLSAN_OPTIONS=keep_deepbind=1 keeps the flag"
        ));
    }
    flags & !libc::RTLD_DEEPBIND
}

/// `dlclose`: discards what is known about addresses, since other code may be loaded there next.
#[cfg_attr(not(test), unsafe(export_name = "dlclose"))]
pub unsafe extern "C" fn dlclose_entry(handle: *mut c_void) -> c_int {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    if REAL.load(Relaxed).is_null() {
        let Some(real) = elf::libc_symbol(b"dlclose") else {
            return -1;
        };
        REAL.store(real.cast_mut(), Relaxed);
    }
    // SAFETY: libc's definition, whose type POSIX gives.
    let real = unsafe { std::mem::transmute::<*mut (), Dlclose>(REAL.load(Relaxed)) };
    // SAFETY: the caller's own argument.
    let status = unsafe { real(handle) };
    forget_unloaded_code();
    status
}

/// The program may have unloaded code, and other code may be loaded there before the next stack is recorded.
fn forget_unloaded_code() {
    aclsan_unwind::modules::forget();
    // Inside a hook, the runtime itself called `dlclose`.
    if let (Some(process), Some(_inside)) = (Process::if_initialized(), ReentrancyGuard::enter()) {
        modules::refresh(process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_for_what_is_missing_is_no_news_to_the_next_search() {
        let before = LOOKUPS.load(Relaxed);
        let mine = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        assert_eq!(flags_of(c"libascendcl.so".as_ptr(), mine), mine);
        assert_eq!(LOOKUPS.load(Relaxed), before);
        let theirs = libc::RTLD_NOW | libc::RTLD_GLOBAL;
        assert_eq!(flags_of(c"libascendcl.so".as_ptr(), theirs), theirs);
        assert_eq!(LOOKUPS.load(Relaxed), before + 1);
    }
}
