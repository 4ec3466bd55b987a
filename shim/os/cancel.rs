//! Disables thread cancellation while the shim writes, opens files or calls the runtime. A cancellation there would
//! unwind through our frames with locks held and abort the process at `catch_unwind`. It stays pending until the
//! program's next cancellation point.
//!
//! The per-call fast path contains no cancellation point, so it needs no guard. The guard also restores `errno`, which
//! the guarded code may change.

use crate::errno::ErrnoGuard;
use std::ffi::c_int;

unsafe extern "C" {
    /// POSIX.
    safe fn pthread_setcancelstate(state: c_int, old: &mut c_int) -> c_int;
}

/// glibc's `PTHREAD_CANCEL_DISABLE`.
const DISABLE: c_int = 1;

/// Keeps the calling thread from being cancelled until dropped, then restores `errno`.
pub struct CancelGuard {
    before: c_int,
    _errno: ErrnoGuard,
}

impl CancelGuard {
    pub fn enter() -> Self {
        let (mut before, errno) = (DISABLE, ErrnoGuard::new());
        pthread_setcancelstate(DISABLE, &mut before);
        Self {
            before,
            _errno: errno,
        }
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        let mut ours = DISABLE;
        pthread_setcancelstate(self.before, &mut ours);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_before_comes_back_when_the_outermost_ends() {
        let state = || {
            let mut state = DISABLE;
            pthread_setcancelstate(DISABLE, &mut state);
            let mut ours = DISABLE;
            pthread_setcancelstate(state, &mut ours);
            state
        };
        let before = state();
        let outer = CancelGuard::enter();
        drop(CancelGuard::enter());
        assert_eq!(state(), DISABLE);
        drop(outer);
        assert_eq!(state(), before);
    }
}
