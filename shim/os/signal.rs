//! A signal that asks for a snapshot: its handler sets a mark and nothing else.

use crate::status;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

extern "C" fn on_signal(_: c_int) {
    status::request_snapshot();
}

/// Listens to signal `number`, unless the program does: `false` where it handles the signal itself or ignores it. Only the first call of a
/// process listens; 0 is no signal.
pub fn listen(number: c_int) -> bool {
    static IS_HEARD: AtomicBool = AtomicBool::new(false);
    if number == 0 || IS_HEARD.swap(true, Relaxed) {
        return true;
    }
    // SAFETY: of all its fields zero is a value.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks for a signal's disposition, into our own variable.
    unsafe { libc::sigaction(number, std::ptr::null(), &mut before) };
    if before.sa_sigaction != libc::SIG_DFL {
        return false;
    }
    // SAFETY: as above.
    let mut handler: libc::sigaction = unsafe { std::mem::zeroed() };
    handler.sa_sigaction = on_signal as *const () as usize;
    handler.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler has the type asked for, sets one atomic and stays loaded: the library is never unloaded.
    unsafe { libc::sigaction(number, &handler, std::ptr::null_mut()) };
    true
}
