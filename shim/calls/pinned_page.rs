//! Whether this runtime's page-locked memory can be protected: `aclsan doctor` asks, by a variable, in a process that does nothing else.
//!
//! The page is tried when that process exits: the runtime starts threads that open libraries, which a constructor must not wait for.

use crate::runtime::next::RuntimeFn;
use aclsan_os::host_pages::{self, Claim, Outcome};
use aclsan_os::{maps, stderr};
use std::ffi::{CString, OsStr, c_char, c_void};
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
    call("aclInit", |function| {
        type Initialize = extern "C" fn(*const c_char) -> i32;
        // SAFETY: the type that its header gives; null is allowed.
        let initialize = unsafe { std::mem::transmute::<*const (), Initialize>(function) };
        initialize(std::ptr::null())
    })?;
    call("aclrtSetDevice", on_first_device)?;
    let mut block: *mut c_void = std::ptr::null_mut();
    let size = 2 * maps::page_size();
    call("aclrtMallocHost", |function| {
        type Allocate = extern "C" fn(*mut *mut c_void, usize) -> i32;
        // SAFETY: the type that its header gives; it writes to our own variable.
        let allocate = unsafe { std::mem::transmute::<*const (), Allocate>(function) };
        allocate(&mut block, size as usize)
    })?;
    let start = block as u64;
    let bounds = (start, start + size);
    let outcome = match maps::plain_data_around(bounds.0, bounds.1) {
        Some(_) => host_pages::protect(Claim::new(0, bounds, bounds, true)),
        None => Outcome::Refused,
    };
    host_pages::open_all();
    call("aclrtFreeHost", |function| {
        type Release = extern "C" fn(*mut c_void) -> i32;
        // SAFETY: the type that its header gives; the block was allocated above.
        let release = unsafe { std::mem::transmute::<*const (), Release>(function) };
        release(block)
    })?;
    call("aclrtResetDevice", on_first_device)?;
    Ok(match outcome {
        Outcome::Protected => "protected",
        _ => "refused",
    }
    .into())
}

/// Sets or resets device 0.
fn on_first_device(function: *const ()) -> i32 {
    // SAFETY: the type that its header gives.
    let function = unsafe { std::mem::transmute::<*const (), extern "C" fn(i32) -> i32>(function) };
    function(0)
}

/// Calls the runtime's function `name`; an error names it and its code.
fn call(name: &'static str, with: impl FnOnce(*const ()) -> i32) -> Result<(), String> {
    static FUNCTIONS: [(&str, RuntimeFn); 5] = [
        ("aclInit", RuntimeFn::new(c"aclInit")),
        ("aclrtSetDevice", RuntimeFn::new(c"aclrtSetDevice")),
        ("aclrtMallocHost", RuntimeFn::new(c"aclrtMallocHost")),
        ("aclrtFreeHost", RuntimeFn::new(c"aclrtFreeHost")),
        ("aclrtResetDevice", RuntimeFn::new(c"aclrtResetDevice")),
    ];
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
    let function = known.and_then(|(_, function)| function.find());
    let Some(function) = function else {
        return Err(format!("`{name}` is missing"));
    };
    match with(function) {
        0 => Ok(()),
        status => Err(format!("`{name}` returned {status}")),
    }
}
