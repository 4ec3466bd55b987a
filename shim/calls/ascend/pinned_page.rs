//! Whether this runtime's page-locked memory can be protected: `aclsan doctor` asks, by a variable, in a process that does nothing else.
//!
//! The page is tried when that process exits: the runtime starts threads that open libraries, which a constructor must not wait for.

use crate::runtime::slots;
use aclsan_os::host_pages::{self, Claim, Outcome};
use aclsan_os::{maps, stderr};
use std::ffi::{CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;

/// The path of the library that has `aclrtMallocHost`. `analyzer/src/run/doctor/pinned_page.rs` sets it.
const VARIABLE: &str = "ACLSAN_TRY_PINNED_PAGE";
/// Begins the line with the answer.
const MARK: &str = "aclsan: pinned page: ";

#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn init() {
    if std::env::var_os(VARIABLE).is_some() {
        // SAFETY: a function without arguments, which is never unloaded.
        unsafe { ::libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    let library = std::env::var_os(VARIABLE).unwrap_or_default();
    let answer = attempt(&library).unwrap_or_else(|why| why);
    stderr::print_lines(&format!("{MARK}{answer}"));
}

/// What happened, in a word or two that the command knows.
fn attempt(library: &OsStr) -> Result<String, String> {
    let path = CString::new(library.as_bytes()).map_err(|_| "no path".to_owned())?;
    // SAFETY: a terminated path; the library's constructors run as in any program.
    let opened = unsafe { ::libc::dlopen(path.as_ptr(), ::libc::RTLD_NOW | ::libc::RTLD_GLOBAL) };
    if opened.is_null() {
        return Err("not loaded".into());
    }
    let status = slots::INIT.call(|init| init(std::ptr::null()));
    returned("aclInit", status)?;
    let status = slots::SET_DEVICE.call(|set| set(0));
    returned("aclrtSetDevice", status)?;
    let mut block: *mut c_void = std::ptr::null_mut();
    let size = 2 * maps::page_size();
    let status = slots::MALLOC_HOST.call(|allocate| allocate(&mut block, size as usize));
    returned("aclrtMallocHost", status)?;
    let start = block as u64;
    let bounds = (start, start + size);
    let outcome = match maps::plain_data_around(bounds.0, bounds.1) {
        Some(_) => host_pages::protect(Claim::new(0, bounds, bounds, true)),
        None => Outcome::Refused,
    };
    host_pages::open_all();
    let status = slots::FREE_HOST.call(|free| free(block));
    returned("aclrtFreeHost", status)?;
    let status = slots::RESET_DEVICE.call(|reset| reset(0));
    returned("aclrtResetDevice", status)?;
    Ok(match outcome {
        Outcome::Protected => "protected",
        _ => "refused",
    }
    .into())
}

/// An error names the runtime's function and its code.
fn returned(name: &str, status: Option<i32>) -> Result<(), String> {
    match status {
        Some(0) => Ok(()),
        Some(status) => Err(format!("`{name}` returned {status}")),
        None => Err(format!("`{name}` is missing")),
    }
}
