//! `snapshot_signal`: a signal at which all guards are looked at and what is live is put on record.
//!
//! The handler sets a mark and nothing else. The next call into AscendCL does the work, before it does its own: on a thread that has a
//! device, outside a capture. Until one comes the mark stays.

use crate::options::{Options, Signal};
use crate::{say, switch};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

extern "C" fn on_signal(_: c_int) {
    switch::ask_for_snapshot();
}

/// Listens to the signal that was asked for, unless the program does.
pub fn listen(options: &Options) {
    static IS_HEARD: AtomicBool = AtomicBool::new(false);
    let Signal(number) = options.snapshot_signal;
    if number == 0 || IS_HEARD.swap(true, Relaxed) {
        return;
    }
    // SAFETY: of all its fields zero is a value.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks for a signal's disposition, into our own variable.
    unsafe { libc::sigaction(number, std::ptr::null(), &mut before) };
    if before.sa_sigaction != libc::SIG_DFL {
        say::warning(&format!(
            "option `snapshot_signal`: the program handles signal {number} itself or ignores it; no snapshots are taken, try another signal"
        ));
        return;
    }
    // SAFETY: as above.
    let mut handler: libc::sigaction = unsafe { std::mem::zeroed() };
    handler.sa_sigaction = on_signal as *const () as usize;
    handler.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler has the type asked for, sets one atomic and stays loaded: this library is never unloaded.
    unsafe { libc::sigaction(number, &handler, std::ptr::null_mut()) };
}
