//! Warnings that come up under a lock. The next call, or the end of the process, prints them.

use crate::lock::{Mutex, rank};
use crate::status;

static WAITING: Mutex<rank::Warnings, Vec<String>> = Mutex::new(Vec::new());

/// Prints a warning as soon as no lock is held.
pub fn warn_later(text: String) {
    if let Some(mut waiting) = WAITING.try_for_a_while() {
        waiting.push(text);
        status::warnings_wait();
    }
}

/// Takes those that wait.
pub fn take() -> Vec<String> {
    let waiting = WAITING.try_lock();
    waiting.map_or_else(Vec::new, |mut waiting| std::mem::take(&mut *waiting))
}
