//! The modules that a forked child knows without asking the loader, whose locks may have been held by threads that do
//! not exist in the child, and then stay locked forever. Until the child loads something itself, its modules are those
//! that the parent read just before the fork, and searches that failed in the parent are not repeated.

use super::ModuleList;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// Whether this is a forked child that has loaded nothing since.
static IS_SNAPSHOT: AtomicBool = AtomicBool::new(false);
/// What the parent read. It belongs to the parent until the fork is over.
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

/// Call before a fork, with no lock of ours held: keeps `modules`, which were read just now.
pub fn capture(modules: ModuleList) {
    let walked = Box::into_raw(Box::new(modules));
    MODULES.store(walked, Relaxed);
}

/// Call in the parent after the fork.
pub fn drop_captured() {
    let captured = MODULES.swap(std::ptr::null_mut(), Relaxed);
    if !captured.is_null() {
        // SAFETY: created by `capture`, and borrowed by nobody: `modules` only lends it in a child.
        drop(unsafe { Box::from_raw(captured) });
    }
}

/// Call in the child.
pub fn forked() {
    IS_SNAPSHOT.store(true, Relaxed);
}

/// The snapshot, in a child that lives on one.
pub fn modules() -> Option<&'static ModuleList> {
    if !is_snapshot() {
        return None;
    }
    // SAFETY: null, or from `capture`; never freed in a child.
    unsafe { MODULES.load(Relaxed).as_ref() }
}
