//! The actions that the handler replaced.

use super::SIGNALS;
use crate::{host_pages, signal_action};
use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Written before the handler is installed for a signal, read in it.
struct Kept(UnsafeCell<[MaybeUninit<libc::sigaction>; SIGNALS.len()]>);

// SAFETY: written by the one thread that starts the process's state, before the handler that reads it can run.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new([const { MaybeUninit::zeroed() }; 6]));

fn kept(signal: c_int) -> *mut libc::sigaction {
    let at = SIGNALS.iter().position(|&known| known == signal);
    let all: *mut libc::sigaction = KEPT.0.get().cast();
    all.wrapping_add(at.unwrap_or(0))
}

/// A handler with all signals blocked but [`SIGNALS`]: one of them ends a report that crashes.
pub(super) fn handler(handler: usize, flags: c_int) -> libc::sigaction {
    let mut action =
        signal_action::blocking_all(handler, libc::SA_SIGINFO | libc::SA_NODEFER | flags);
    for signal in SIGNALS {
        // SAFETY: our own set.
        unsafe { libc::sigdelset(&mut action.sa_mask, signal) };
    }
    action
}

/// The program's action: behind the handler of `host_pages`, where that is installed.
pub(super) fn of_program(signal: c_int) -> Option<libc::sigaction> {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks, and writes to our own variable.
    let is_behind = signal == libc::SIGSEGV
        && unsafe { host_pages::replace_program_action(std::ptr::null(), now.as_mut_ptr()) };
    match is_behind {
        // SAFETY: all-zero is a valid value of every field.
        true => Some(unsafe { now.assume_init() }),
        false => signal_action::current(signal),
    }
}

/// Installs `action` and keeps `before`, the program's.
pub(super) fn replace(signal: c_int, before: &libc::sigaction, action: &libc::sigaction) {
    // SAFETY: our own memory, which nobody reads before the handler is installed.
    unsafe { kept(signal).write(*before) };
    // SAFETY: a valid action; nothing is asked.
    let is_behind = signal == libc::SIGSEGV
        && unsafe { host_pages::replace_program_action(action, std::ptr::null_mut()) };
    if !is_behind {
        signal_action::set(signal, action);
    }
}

/// Sets other flags for the handler `own`, where it is installed.
pub(super) fn replace_handler(signal: c_int, own: usize, flags: c_int) {
    if signal_action::current(signal).is_some_and(|now| now.sa_sigaction == own) {
        signal_action::set(signal, &handler(own, flags));
    }
}

/// Installs the program's action again.
pub(super) fn restore(signal: c_int) {
    // SAFETY: written when the handler was installed, or all zero, which is the default action.
    signal_action::set(signal, unsafe { &*kept(signal) });
}

/// Whether the program's action is the default one.
pub(super) fn is_default(signal: c_int) -> bool {
    // SAFETY: as above.
    unsafe { (*kept(signal)).sa_sigaction == libc::SIG_DFL }
}
