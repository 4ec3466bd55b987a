//! Threads of other processes that the command traces, with signals of any number: nix knows none from 32 on, and glibc sends such a one to each
//! thread when one of them calls `setuid`.

use std::io;

/// How a traced thread is found; a stop's word is that of `waitpid`.
pub enum Found {
    /// It runs.
    Running,
    /// It has stopped, or ended.
    Changed(i32),
}

/// Looks at a thread that the caller traces, without waiting.
///
/// # Errors
/// The system's.
pub fn look(tid: i32) -> io::Result<Found> {
    let mut status = 0;
    // SAFETY: writes to our own variable.
    match unsafe { libc::waitpid(tid, &mut status, libc::__WALL | libc::WNOHANG) } {
        0 => Ok(Found::Running),
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(Found::Changed(status)),
    }
}

/// Lets a stopped thread run on, with a signal or, for 0, without.
///
/// # Errors
/// The system's.
pub fn resume(tid: i32, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_CONT, tid, signal)
}

/// As [`resume`], and traces it no longer.
///
/// # Errors
/// The system's.
pub fn detach(tid: i32, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_DETACH, tid, signal)
}

fn request(request: libc::c_uint, tid: i32, signal: i32) -> io::Result<()> {
    let nothing = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: these requests take a number, and touch no memory of ours.
    match unsafe { libc::ptrace(request, tid, nothing, libc::c_long::from(signal)) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
