//! Functions of libc by which the program says what happens at signals.
//!
//! Its action at SIGSEGV is kept by libaclsan.so, which installs it when a fault is the program's. And SIGSEGV is never
//! blocked, or the kernel would end the process at an access to a protected page: the program sees
//! it blocked where it has blocked it.

use crate::host_pages::{is_watching, missing, segv_action};
use crate::next::Next;
use libc::{c_int, sigset_t};
use std::cell::Cell;
use std::mem::MaybeUninit;

/// `sigaction`.
#[unsafe(export_name = "sigaction")]
unsafe extern "C-unwind" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    type Sigaction =
        extern "C-unwind" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    static NEXT: Next<Sigaction> = Next::new(c"sigaction");
    if signal == libc::SIGSEGV && segv_action(new, old) {
        return 0;
    }
    let Some(next) = NEXT.get() else {
        return missing() as c_int;
    };
    // SAFETY: null or valid.
    let wanted = unsafe { new.as_ref() };
    if let (Some(wanted), true) = (wanted, is_watching() && signal != libc::SIGSEGV) {
        let mut wanted = *wanted;
        // SAFETY: our own set.
        unsafe { libc::sigdelset(&mut wanted.sa_mask, libc::SIGSEGV) };
        return next(signal, &wanted, old);
    }
    next(signal, new, old)
}

type Handler = libc::sighandler_t;
type Signal = extern "C-unwind" fn(c_int, Handler) -> Handler;

/// The program's action at SIGSEGV, as `signal` with these semantics sets it; `None` if libc has to do it.
fn simple(signal: c_int, handler: Handler, flags: c_int) -> Option<Handler> {
    if signal != libc::SIGSEGV {
        return None;
    }
    // SAFETY: all-zero is a valid value of every field.
    let mut wanted: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    wanted.sa_sigaction = handler;
    wanted.sa_flags = flags;
    // SAFETY: all-zero is a valid value of every field.
    let mut old: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    segv_action(&wanted, &mut old).then_some(old.sa_sigaction)
}

/// `signal`, as BSD has it.
#[unsafe(export_name = "signal")]
unsafe extern "C-unwind" fn signal(signal: c_int, handler: Handler) -> Handler {
    if let Some(old) = simple(signal, handler, libc::SA_RESTART) {
        return old;
    }
    static NEXT: Next<Signal> = Next::new(c"signal");
    match NEXT.get() {
        Some(next) => next(signal, handler),
        None => missing() as Handler,
    }
}

/// `signal`, as System V has it.
#[unsafe(export_name = "__sysv_signal")]
unsafe extern "C-unwind" fn sysv_signal(signal: c_int, handler: Handler) -> Handler {
    if let Some(old) = simple(signal, handler, libc::SA_RESETHAND | libc::SA_NODEFER) {
        return old;
    }
    static NEXT: Next<Signal> = Next::new(c"__sysv_signal");
    match NEXT.get() {
        Some(next) => next(signal, handler),
        None => missing() as Handler,
    }
}

thread_local! {
    /// Whether the program has blocked SIGSEGV in this thread.
    static IS_BLOCKED: Cell<bool> = const { Cell::new(false) };
}

type Mask = extern "C-unwind" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;

/// Calls `next` without SIGSEGV in the set, and remembers that it was there.
fn masked(next: Mask, how: c_int, set: *const sigset_t, old: *mut sigset_t) -> c_int {
    // SAFETY: null or valid.
    let Some(wanted) = (unsafe { set.as_ref() }) else {
        let answer = next(how, set, old);
        mark(old, answer, IS_BLOCKED.get());
        return answer;
    };
    let mut wanted = *wanted;
    let was_blocked = IS_BLOCKED.get();
    // SAFETY: our own copy.
    let is_named = unsafe { libc::sigismember(&wanted, libc::SIGSEGV) } == 1;
    // SAFETY: our own copy.
    unsafe { libc::sigdelset(&mut wanted, libc::SIGSEGV) };
    let answer = next(how, &wanted, old);
    mark(old, answer, was_blocked);
    if answer == 0 {
        IS_BLOCKED.set(match how {
            libc::SIG_BLOCK => was_blocked || is_named,
            libc::SIG_UNBLOCK => was_blocked && !is_named,
            _ => is_named,
        });
    }
    answer
}

/// Adds SIGSEGV to the set that the program gets.
fn mark(old: *mut sigset_t, answer: c_int, is_blocked: bool) {
    if !old.is_null() && answer == 0 && is_blocked {
        // SAFETY: the caller's own room, which has just been filled.
        unsafe { libc::sigaddset(old, libc::SIGSEGV) };
    }
}

/// `pthread_sigmask`.
#[unsafe(export_name = "pthread_sigmask")]
unsafe extern "C-unwind" fn pthread_sigmask(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    static NEXT: Next<Mask> = Next::new(c"pthread_sigmask");
    match NEXT.get() {
        Some(next) if is_watching() => masked(next, how, set, old),
        Some(next) => next(how, set, old),
        None => libc::ENOSYS,
    }
}

/// `sigprocmask`.
#[unsafe(export_name = "sigprocmask")]
unsafe extern "C-unwind" fn sigprocmask(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    static NEXT: Next<Mask> = Next::new(c"sigprocmask");
    match NEXT.get() {
        Some(next) if is_watching() => masked(next, how, set, old),
        Some(next) => next(how, set, old),
        None => missing() as c_int,
    }
}
