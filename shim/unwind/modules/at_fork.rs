//! What a forked child knows of the loader without asking it: threads of the parent's that are not here may have held its locks, for
//! ever then. As long as the child loads nothing itself, the modules are those that the parent read just before it forked, and what the
//! parent had searched in vain is not searched again.

use super::ModuleList;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// Whether this is a forked child in which nothing has been loaded since.
static IS_SNAPSHOT: AtomicBool = AtomicBool::new(false);
/// What the parent read; its own until the fork is over.
static MODULES: AtomicPtr<ModuleList> = AtomicPtr::new(std::ptr::null_mut());

/// Whether the loader is better left alone.
#[inline(always)]
pub fn is_snapshot() -> bool {
    IS_SNAPSHOT.load(Relaxed)
}

/// The program has loaded something, and had the loader's locks for that.
pub fn invalidate() {
    if is_snapshot() {
        IS_SNAPSHOT.store(false, Relaxed);
    }
}

/// Before a fork, where no lock of ours is held by this thread: the modules, read just now.
pub fn capture(modules: ModuleList) {
    let walked = Box::into_raw(Box::new(modules));
    MODULES.store(walked, Relaxed);
}

/// In the parent, after the fork.
pub fn drop_captured() {
    let captured = MODULES.swap(std::ptr::null_mut(), Relaxed);
    if !captured.is_null() {
        // SAFETY: made by `capture`, and lent to nobody: `modules` lends it in a child alone.
        drop(unsafe { Box::from_raw(captured) });
    }
}

/// In the child.
pub fn forked() {
    IS_SNAPSHOT.store(true, Relaxed);
}

/// The modules, in such a child whose parent has read them.
pub fn modules() -> Option<&'static ModuleList> {
    if !is_snapshot() {
        return None;
    }
    // SAFETY: null, or from `capture`; in a child it is never freed.
    unsafe { MODULES.load(Relaxed).as_ref() }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::{
    capture as prepare, drop_captured as drop_prepared, invalidate as loaded, is_snapshot as is,
};
