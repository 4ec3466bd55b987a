//! The thread's `errno`, which a hook leaves as it was: programs look at it after a call that failed before ours.

use std::ffi::c_int;

/// Puts `errno` back when dropped.
pub struct ErrnoGuard {
    at: *mut c_int,
    before: c_int,
}

impl ErrnoGuard {
    /// As it is now.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "a guard, no value")]
    pub fn new() -> Self {
        // SAFETY: asks for this thread's variable.
        let at = unsafe { libc::__errno_location() };
        // SAFETY: this thread's variable.
        let before = unsafe { at.read() };
        Self { at, before }
    }
}

impl ErrnoGuard {
    // Old name, until its last use is gone.
    #[doc(hidden)]
    #[inline(always)]
    pub fn keep() -> Self {
        Self::new()
    }
}

impl Drop for ErrnoGuard {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the variable of the thread that made this, which a raw pointer keeps from being sent to another.
        unsafe { self.at.write(self.before) };
    }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::ErrnoGuard as Errno;
