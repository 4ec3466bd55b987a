//! One thread says something at a time, so that what it says stays together when stderr is a pipe that is full: then the kernel lets the
//! writers in by turns.
//!
//! The wait for it has an end, since what is waited for can be lost: a signal handler of the program's may jump out of a write for good.

use super::PATIENCE;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// The process a thread of which speaks; 0 for none. In a forked child it may still be the parent's.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Threads that wait for theirs: without any there is no system call.
static WAITERS: AtomicU32 = AtomicU32::new(0);

/// Longer than who speaks waits for a reader.
const TIMEOUT: Duration = PATIENCE.saturating_mul(2);

thread_local! {
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// This thread's turn, until dropped. A handler that interrupts it has no other.
pub struct OutputLock(bool);

impl OutputLock {
    /// Waits for it, but not for ever.
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
            wait(own, left);
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
                wake();
            }
            IS_HELD.set(false);
        }
    }
}

/// Sleeps while this process speaks.
fn wait(own: u32, most: Duration) {
    let most = libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: most.subsec_nanos().into(),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: waits on a word that is there for ever, with a time of our own.
    unsafe { libc::syscall(libc::SYS_futex, OWNER.as_ptr(), operation, own, &most) };
}

/// Wakes one thread that waits.
fn wake() {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: wakes those that wait on a word that is there for ever.
    unsafe { libc::syscall(libc::SYS_futex, OWNER.as_ptr(), operation, 1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_parents_turn_nor_ones_own_is_waited_for() {
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
