//! Serializes messages between threads. A full pipe lets writers in by turns, which would mix their messages.
//!
//! The lock has a timeout because its holder may never release it: a signal handler of the program may jump out of a
//! write for good.

use super::PATIENCE;
use crate::futex;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Process ID of the owner; 0 if free. In a forked child it may still be the parent's.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Number of waiting threads. If 0, unlocking makes no system call.
static WAITERS: AtomicU32 = AtomicU32::new(0);

/// Longer than the owner waits for a reader.
const TIMEOUT: Duration = PATIENCE.saturating_mul(2);

thread_local! {
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// Holds the lock until dropped. A handler that interrupts the owner shares it.
pub struct OutputLock(bool);

impl OutputLock {
    /// Waits for the lock, with a timeout.
    pub fn acquire() -> Self {
        if IS_HELD.replace(true) {
            return Self(false);
        }
        let own = std::process::id();
        let began = Instant::now();
        while let Err(other) = OWNER.compare_exchange(0, own, SeqCst, SeqCst) {
            let left = TIMEOUT.saturating_sub(began.elapsed());
            if other != own || left.is_zero() {
                OWNER.store(own, SeqCst);
                break;
            }
            WAITERS.fetch_add(1, SeqCst);
            futex::wait(&OWNER, own, left);
            WAITERS.fetch_sub(1, SeqCst);
        }
        Self(true)
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        if self.0 {
            OWNER.store(0, SeqCst);
            if WAITERS.load(SeqCst) != 0 {
                futex::wake(&OWNER, 1);
            }
            IS_HELD.set(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_the_parent_or_of_this_thread_is_not_waited_for() {
        let began = Instant::now();
        OWNER.store(u32::MAX, SeqCst);
        let first = OutputLock::acquire();
        let within = OutputLock::acquire();
        assert_eq!((first.0, within.0), (true, false));
        drop(within);
        assert!(!OutputLock::acquire().0, "still the first's");
        drop(first);
        assert!(OutputLock::acquire().0);
        assert!(began.elapsed() < PATIENCE);
    }
}
