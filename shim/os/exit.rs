//! The end of the process: registering exit handlers, and ending at once.

use std::ffi::c_int;

/// Registers `handler` to run at exit, in reverse order of registration. Only for a library that is never unloaded: the
/// handler must stay mapped.
pub fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the handler has the required type and stays loaded.
    unsafe { libc::atexit(handler) };
}

/// Ends the process by SIGABRT, whatever the program does with that signal.
pub fn abort() -> ! {
    // SAFETY: has no preconditions and does not return.
    unsafe { libc::abort() }
}

/// Raises SIGTRAP in this thread. Returns if a debugger continues the program, or the program handles the signal.
pub fn trap() {
    // SAFETY: sends a signal to the calling thread.
    unsafe { libc::raise(libc::SIGTRAP) };
}

/// Ends the process without running exit handlers.
pub fn exit_now(status: c_int) -> ! {
    // SAFETY: has no preconditions and does not return.
    unsafe { libc::_exit(status) }
}
