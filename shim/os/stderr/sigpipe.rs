//! A write to a pipe that nobody reads brings the thread a signal, which the program knows nothing of.

use crate::seccomp;
use std::mem::MaybeUninit;

/// Runs `body`, which may write to a pipe that nobody reads or to a file that may not grow, and says which signal came of that: it is ours
/// to consume.
pub fn with_sigpipe_blocked(body: impl FnOnce() -> Option<libc::c_int>) {
    let mut both = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: makes the set empty.
    unsafe { libc::sigemptyset(both.as_mut_ptr()) };
    for signal in SIGNALS {
        // SAFETY: a set, and a signal that exists.
        unsafe { libc::sigaddset(both.as_mut_ptr(), signal) };
    }
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: two sets of ours, the first filled.
    let blocked =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, both.as_ptr(), before.as_mut_ptr()) };
    if blocked != 0 {
        body();
        return;
    }
    // One that waits already is the program's, and hides ours.
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

/// What a write can bring the thread that writes.
const SIGNALS: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Takes a blocked signal that waits for this thread.
fn consume(signal: libc::c_int) {
    let mut alone = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: makes the set empty.
    unsafe { libc::sigemptyset(alone.as_mut_ptr()) };
    // SAFETY: a set, and a signal that exists.
    unsafe { libc::sigaddset(alone.as_mut_ptr(), signal) };
    let at_once = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    while is_pending(signal) {
        // SAFETY: our own set and time; nothing is told about the signal.
        unsafe { libc::sigtimedwait(alone.as_ptr(), std::ptr::null_mut(), &at_once) };
    }
}

/// Whether a blocked signal waits for this thread.
fn is_pending(signal: libc::c_int) -> bool {
    let mut waiting = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills our own set.
    if unsafe { libc::sigpending(waiting.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::sigismember(waiting.as_ptr(), signal) == 1 }
}
