//! The signal that requests a snapshot. Its handler only sets a flag.

use crate::{signal_action, status};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

extern "C" fn on_signal(_: c_int) {
    status::request_snapshot();
}

/// Installs the handler for signal `number`, unless the program handles or ignores that signal: then returns `false`.
/// Only the first call in a process has an effect; 0 means no signal.
pub fn listen(number: c_int) -> bool {
    static IS_HEARD: AtomicBool = AtomicBool::new(false);
    if number == 0 || IS_HEARD.swap(true, Relaxed) {
        return true;
    }
    if signal_action::current(number).is_none_or(|now| now.sa_sigaction != libc::SIG_DFL) {
        return false;
    }
    // SAFETY: all-zero is a valid value of every field.
    let mut handler: libc::sigaction = unsafe { std::mem::zeroed() };
    handler.sa_sigaction = on_signal as *const () as usize;
    handler.sa_flags = libc::SA_RESTART;
    signal_action::set(number, &handler)
}

/// Runs `body` with all signals blocked, as a thread that it starts then has them.
pub fn with_all_blocked<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: all-zero is a valid value.
    let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: fills a local variable.
    unsafe { libc::sigfillset(&mut all) };
    // SAFETY: reads and fills local variables; the mask is this thread's.
    let answer = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) };
    let result = body();
    if answer == 0 {
        // SAFETY: the mask that this thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    }
    result
}
