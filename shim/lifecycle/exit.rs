//! Exit: the loader's last step, after every exit handler. What the program releases even later is still recorded.

use super::{control, leak_scan, warnings};
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::{judge, record};
use aclsan_log::Event;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::panic;
use aclsan_os::status::{IDLE, STATE};
use std::sync::atomic::Ordering::Relaxed;

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".fini_array")]
static FINI: extern "C" fn() = on_fini;

/// Scans for leaks and prints the summary, if the process ever called AscendCL.
extern "C" fn on_fini() {
    let Some(process) = Process::if_initialized() else {
        return;
    };
    // The watch has ended before.
    if STATE.load(Relaxed) & IDLE != 0 {
        return;
    }
    let Some(inside) = ReentrancyGuard::enter() else {
        return;
    };
    let _uncancelled = CancelGuard::enter();
    warnings::print_waiting();
    panic::contain(|| finish(&inside, process));
}

fn finish(inside: &ReentrancyGuard, process: &'static Process) {
    control::end(process);
    let (reachable, is_whole) = leak_scan::at_exit(inside, process);
    record::log_event(inside, process, &Event::Exit);
    judge::summarize(
        process,
        judge::End::Exit {
            reachable: &reachable,
            is_whole,
        },
    );
}
