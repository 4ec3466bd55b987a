//! A panic of ours is reported once and never reaches the program: from then on nothing is recorded, and calls are only
//! forwarded.

use crate::status::{OFF, STATE};
use crate::stderr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

/// Runs `body`; `None` after a panic.
pub fn contain<T>(body: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(body))
        .map_err(|_| stop_recording())
        .ok()
}

/// Call after a panic was caught.
#[cold]
pub fn stop_recording() {
    STATE.fetch_or(OFF, Relaxed);
    stderr::warning(
        "internal error in aclsan: recording has stopped, the program continues; please report the message above",
    );
}
