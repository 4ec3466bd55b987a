//! The last look at guards and at what is held back, when the program exits.

use super::{quarantine, redzone_check};
use crate::record::Hook;
use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use aclsan_os::cancel::Uncancelled;
use aclsan_os::exit;
use aclsan_os::status::{OFF, STATE};
use aclsan_rules::functions;
use aclsan_unwind::registers;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Has [`at_exit`] called. Asked for when a device is in use: what the runtime had loaded by then is torn down after us.
pub fn watch_exit() {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);
    if cfg!(not(test)) && !IS_WATCHED.swap(true, Relaxed) {
        exit::at_exit(at_exit);
    }
}

/// The last looks at guards and at what is held back. The runtime is still there, unless the program has finalised it.
extern "C" fn at_exit() {
    static ROW: Interceptor = Interceptor::unforwarded(functions::number("exit"));
    let Some(process) = Process::if_begun() else {
        return;
    };
    if !process.options.touches_memory() || process.calls.is_finalized.load(Relaxed) {
        return;
    }
    if let Some(hook) = Hook::enter(&ROW, registers::here(), STATE.load(Relaxed) & OFF != 0) {
        let _uncancelled = Uncancelled::enter();
        hook.record(|recorder| {
            redzone_check::final_check(recorder, |_| true);
            quarantine::flush(recorder, -1);
        });
    }
}
