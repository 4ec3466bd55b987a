//! Where a thread must not be cancelled: in parts of ours that write, open files or ask the runtime. A cancellation there would unwind
//! through them, with their locks held, up to where panics are caught, which ends the process. It waits until the program's own next
//! point. What is done for every call has no such point, and costs nothing. Nor does it touch `errno`, which these parts put back.

use crate::errno::ErrnoGuard;
use std::ffi::c_int;

unsafe extern "C" {
    /// POSIX's.
    safe fn pthread_setcancelstate(state: c_int, old: &mut c_int) -> c_int;
}

/// glibc's `PTHREAD_CANCEL_DISABLE`.
const DISABLE: c_int = 1;

/// Keeps the calling thread from being cancelled, and its `errno`, until dropped.
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

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::CancelGuard as Uncancelled;

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
