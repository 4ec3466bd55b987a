//! The byte that every call polls: whether there is anything to do besides the call, or nothing to record any more.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// Pending work for the next call, and what is recorded of it: the flags below. Usually 0.
pub static STATE: AtomicU8 = AtomicU8::new(0);
/// The shim panicked or ran out of memory. Nothing is recorded from now on; events are only counted.
pub const OFF: u8 = 1;
/// A snapshot was requested.
pub const SNAPSHOT_REQUESTED: u8 = 2;
/// Warnings are still to be printed.
pub const WARNINGS_WAIT: u8 = 4;
/// The program or its user has stopped recording, until it is started again.
pub const STOPPED: u8 = 8;
/// The thread that serves `aclsan ctl` is still to be started.
pub const CONTROL_REQUESTED: u8 = 16;
/// `aclsan detach` ended the watch. Calls are only forwarded: those through pointers to hooks that the program has kept.
pub const IDLE: u8 = 32;
/// After an attach: modules were loaded whose calls do not come here yet.
pub const NEW_MODULES: u8 = 64;
/// The attach was a moment ago: calls that began before it may not have returned.
pub const UNSETTLED: u8 = 128;

/// Makes the next call start the thread that serves `aclsan ctl`.
pub fn request_control() {
    STATE.fetch_or(CONTROL_REQUESTED, Relaxed);
}

/// Takes that request back. Returns whether it was there: one thread starts it.
pub fn take_control_request() -> bool {
    STATE.fetch_and(!CONTROL_REQUESTED, Relaxed) & CONTROL_REQUESTED != 0
}

/// Whether recording is stopped.
pub fn is_stopped() -> bool {
    STATE.load(Relaxed) & STOPPED != 0
}

/// Stops recording. Returns whether it was on.
pub fn stop() -> bool {
    STATE.fetch_or(STOPPED, Relaxed) & STOPPED == 0
}

/// Starts recording. Returns whether it was stopped.
pub fn start() -> bool {
    STATE.fetch_and(!STOPPED, Relaxed) & STOPPED != 0
}

/// One of the warnings that wait is that memory ran out.
static IS_MEMORY_OUT: AtomicBool = AtomicBool::new(false);

/// Turns recording off because there was no memory for it. Called by the allocator, so it only sets atomics.
pub fn report_out_of_memory() {
    if STATE.load(Relaxed) & OFF == 0 {
        IS_MEMORY_OUT.store(true, Relaxed);
        STATE.fetch_or(OFF | WARNINGS_WAIT, Relaxed);
    }
}

/// Makes the next call print warnings.
pub fn warnings_wait() {
    STATE.fetch_or(WARNINGS_WAIT, Relaxed);
}

/// Takes that back, if it was so. Returns whether one of them is that memory ran out.
pub fn take_warnings() -> Option<bool> {
    let waited = STATE.fetch_and(!WARNINGS_WAIT, Relaxed) & WARNINGS_WAIT != 0;
    waited.then(|| IS_MEMORY_OUT.swap(false, Relaxed))
}

/// Makes the next call take a snapshot. Called by signal handlers, so it only sets an atomic.
pub fn request_snapshot() {
    STATE.fetch_or(SNAPSHOT_REQUESTED, Relaxed);
}

/// Clears the request when the snapshot begins.
pub fn begin_snapshot() {
    STATE.fetch_and(!SNAPSHOT_REQUESTED, Relaxed);
}
