//! Suppresses the signals that a write to a broken pipe or an over-limit file raises. The program did not make that
//! write.

use crate::seccomp;
use std::mem::MaybeUninit;

/// Runs `body` with SIGPIPE and SIGXFSZ blocked. `body` returns the signal that its write raised, if any; that signal
/// is ours to consume.
pub fn with_sigpipe_blocked(body: impl FnOnce() -> Option<libc::c_int>) {
    let mut both = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: initializes the set.
    unsafe { libc::sigemptyset(both.as_mut_ptr()) };
    for signal in SIGNALS {
        // SAFETY: an initialized set and a valid signal.
        unsafe { libc::sigaddset(both.as_mut_ptr(), signal) };
    }
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: two local sets, the first initialized.
    let blocked =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, both.as_ptr(), before.as_mut_ptr()) };
    if blocked != 0 {
        body();
        return;
    }
    // A signal that is already pending is the program's, and hides ours.
    let is_programs = SIGNALS.map(|signal| !seccomp::is_seccomp_active() && is_pending(signal));
    let ours = body();
    let is_known = |signal| {
        SIGNALS
            .into_iter()
            .zip(is_programs)
            .any(|known| known == (signal, true))
    };
    if let Some(signal) = ours.filter(|&signal| !is_known(signal)) {
        consume(signal);
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
}

/// Signals that a write can raise in the writing thread.
const SIGNALS: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Consumes a blocked signal that is pending for this thread.
fn consume(signal: libc::c_int) {
    let mut alone = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: initializes the set.
    unsafe { libc::sigemptyset(alone.as_mut_ptr()) };
    // SAFETY: an initialized set and a valid signal.
    unsafe { libc::sigaddset(alone.as_mut_ptr(), signal) };
    let at_once = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    while is_pending(signal) {
        // SAFETY: local set and time; no information about the signal is requested.
        unsafe { libc::sigtimedwait(alone.as_ptr(), std::ptr::null_mut(), &at_once) };
    }
}

/// Whether a blocked signal is pending for this thread.
fn is_pending(signal: libc::c_int) -> bool {
    let mut waiting = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills a local set.
    if unsafe { libc::sigpending(waiting.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::sigismember(waiting.as_ptr(), signal) == 1 }
}
