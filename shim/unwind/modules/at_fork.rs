//! What a forked child knows of the loader without asking it: threads of the parent's that are not here may have held its locks, for
//! ever then. As long as the child loads nothing itself, the modules are those that the parent read just before it forked, and what the
//! parent had searched in vain is not searched again.

use super::Known;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// Whether this is a forked child in which nothing has been loaded since.
static IS: AtomicBool = AtomicBool::new(false);
/// What the parent read; its own until the fork is over.
static MODULES: AtomicPtr<Known> = AtomicPtr::new(std::ptr::null_mut());

/// Whether the loader is better left alone.
#[inline(always)]
pub fn is() -> bool {
    IS.load(Relaxed)
}

/// The program has loaded something, and had the loader's locks for that.
pub fn loaded() {
    if is() {
        IS.store(false, Relaxed);
    }
}

/// Before a fork, where no lock of ours is held by this thread: the modules, read just now.
pub fn prepare(modules: Known) {
    let fresh = Box::into_raw(Box::new(modules));
    MODULES.store(fresh, Relaxed);
}

/// In the parent, after the fork.
pub fn drop_prepared() {
    let prepared = MODULES.swap(std::ptr::null_mut(), Relaxed);
    if !prepared.is_null() {
        // SAFETY: made by `prepare`, and lent to nobody: `modules` lends it in a child alone.
        drop(unsafe { Box::from_raw(prepared) });
    }
}

/// In the child.
pub fn forked() {
    IS.store(true, Relaxed);
}

/// The modules, in such a child whose parent has read them.
pub fn modules() -> Option<&'static Known> {
    if !is() {
        return None;
    }
    // SAFETY: null, or from `prepare`; in a child it is never freed.
    unsafe { MODULES.load(Relaxed).as_ref() }
}
