//! The modules that a forked child knows without asking the loader, whose locks may have been held by threads that do
//! not exist in the child, and then stay locked forever. Until the child loads something itself, its modules are those
//! that the parent read just before the fork, and searches that failed in the parent are not repeated.

use super::ModuleList;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// Whether this is a forked child that has loaded nothing since.
static IS_SNAPSHOT: AtomicBool = AtomicBool::new(false);
/// What the parent read: in a child alone. Two threads of the parent may fork at once, so that each keeps its own until then.
static MODULES: AtomicPtr<ModuleList> = AtomicPtr::new(std::ptr::null_mut());

/// Whether the loader must not be asked: this is a child that lives on the parent's snapshot.
#[inline(always)]
pub fn is_snapshot() -> bool {
    IS_SNAPSHOT.load(Relaxed)
}

/// Call when the program has loaded something, which needed the loader's locks.
pub fn invalidate() {
    if is_snapshot() {
        IS_SNAPSHOT.store(false, Relaxed);
    }
}

/// Call in the child with what the forking thread read before the fork, if it could.
pub fn forked(read: Option<Box<ModuleList>>) {
    if let Some(read) = read {
        MODULES.store(Box::into_raw(read), Relaxed);
    }
    IS_SNAPSHOT.store(true, Relaxed);
}

/// The snapshot, in a child that lives on one.
pub fn modules() -> Option<&'static ModuleList> {
    if !is_snapshot() {
        return None;
    }
    // SAFETY: null, or from a box that `forked` leaked.
    unsafe { MODULES.load(Relaxed).as_ref() }
}
