//! Options that may change while the program runs: those that are read only where something is printed.

use super::start::options;
use aclsan_options::{Options, settable};
use aclsan_os::stderr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};

/// Changes that are accepted. Each leaves a set of options behind, which other threads may be reading.
const MAX_CHANGES: usize = 1000;

static CHANGED: AtomicPtr<Options> = AtomicPtr::new(std::ptr::null_mut());
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// The options as they are now.
pub fn current() -> &'static Options {
    // SAFETY: null, or a set of options that is never freed.
    unsafe { CHANGED.load(Acquire).as_ref() }.unwrap_or_else(options)
}

/// As [`current`], where `known` are the options that the process began with: hooks read this at every call.
#[inline(always)]
pub fn current_or(known: &'static Options) -> &'static Options {
    // SAFETY: null, or a set of options that is never freed.
    unsafe { CHANGED.load(Acquire).as_ref() }.unwrap_or(known)
}

/// Before an attach: forgets what was changed since the last one.
pub fn reset() {
    CHANGED.store(std::ptr::null_mut(), Release);
}

/// Sets `KEY=VALUE`.
///
/// # Errors
/// A sentence that names the key and says what to do, if it cannot be set now.
pub fn set(pair: &str) -> Result<(), String> {
    let changed = settable::with(current(), pair)?;
    if CHANGES.fetch_add(1, Relaxed) >= MAX_CHANGES {
        return Err(format!(
            "options have been changed {MAX_CHANGES} times in this process, which is the most"
        ));
    }
    stderr::set_quiet(changed.quiet || !stderr::has_stderr());
    CHANGED.store(Box::into_raw(Box::new(changed)), Release);
    Ok(())
}
