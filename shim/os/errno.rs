//! Preserves the thread's `errno` across a hook. Programs read it after a call that failed before ours.

use std::ffi::c_int;

/// Restores `errno` when dropped.
pub struct ErrnoGuard {
    at: *mut c_int,
    before: c_int,
}

impl ErrnoGuard {
    /// Saves the current value.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "a guard, no value")]
    pub fn new() -> Self {
        // SAFETY: returns the address of this thread's variable.
        let at = unsafe { libc::__errno_location() };
        // SAFETY: this thread's variable.
        let before = unsafe { at.read() };
        Self { at, before }
    }
}

impl Drop for ErrnoGuard {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the variable of the thread that created the guard; the raw pointer keeps the guard from moving to
        // another thread.
        unsafe { self.at.write(self.before) };
    }
}
