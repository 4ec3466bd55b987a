//! The end of the process: what is done before it, and going there at once.

use std::ffi::c_int;

/// Has `handler` called when the process exits, in the reverse order of registration. For a library that is never unloaded: the handler has
/// to stay.
pub fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the handler has the type asked for, and stays loaded.
    unsafe { libc::atexit(handler) };
}

/// Ends the process without running its handlers.
pub fn exit_now(status: c_int) -> ! {
    // SAFETY: has no requirements, and does not return.
    unsafe { libc::_exit(status) }
}
