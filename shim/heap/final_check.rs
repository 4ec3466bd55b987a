//! The last check of redzones and quarantined blocks, when the program exits.

use super::{quarantine, redzone_check};
use crate::record::{Hook, Recording};
use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::exit;
use aclsan_os::status::{STATE, STOPPED};
use aclsan_rules::api::functions;
use aclsan_unwind::registers;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Registers [`at_exit`]. Called once a device is in use: the libraries that the runtime had loaded by then are torn down after the handler.
pub fn watch_exit() {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);
    if cfg!(not(test)) && !IS_WATCHED.swap(true, Relaxed) {
        exit::at_exit(at_exit);
    }
}

/// Checks all redzones and flushes the quarantine. The runtime still works, unless the program has finalized it.
extern "C" fn at_exit() {
    static ROW: Interceptor = Interceptor::unforwarded(functions::number("exit"));
    let Some(process) = Process::if_initialized() else {
        return;
    };
    if !process.options.touches_memory() || process.calls.is_finalized.load(Relaxed) {
        return;
    }
    // Blocks of before a stop are checked, too.
    let recording = Recording::of(STATE.load(Relaxed) & !STOPPED);
    if let Some(recording) = recording
        && let Some(hook) = Hook::enter(&ROW, registers::here(), recording)
    {
        let _uncancelled = CancelGuard::enter();
        hook.record(|recorder| {
            redzone_check::final_check(recorder, |_| true);
            quarantine::flush(recorder, -1);
        });
    }
}
