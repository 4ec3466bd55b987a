//! A lock that a signal handler may take: whoever holds it has all signals blocked.
//!
//! The holder's faults would not be blocked; it touches no memory of the program.

use crate::system_call::system_call;
use std::cell::UnsafeCell;
use std::hint;
use std::sync::atomic::{AtomicU32, Ordering::*};

/// Tries before the processor is given to another thread.
const SPINS: u32 = 100;

/// The value, and the process whose thread holds it; 0 if none does.
pub struct SignalLock<T> {
    holder: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: `with` gives the value to one thread at a time.
unsafe impl<T: Send> Sync for SignalLock<T> {}

impl<T> SignalLock<T> {
    pub const fn new(value: T) -> Self {
        Self {
            holder: AtomicU32::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// Runs `body` with the value. A panic leaves the value as it is.
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let before = set_mask(u64::MAX);
        self.acquire();
        let _held = Held(&self.holder, before);
        // SAFETY: the lock is held, and no handler of this thread can run until it is released.
        body(unsafe { &mut *self.value.get() })
    }

    /// A holder in another process is a thread of the parent that does not exist here.
    fn acquire(&self) {
        // SAFETY: asks the kernel for a number.
        let own = unsafe { system_call(libc::SYS_getpid, [0; 4]) } as u32;
        let mut spins = 0;
        loop {
            let holder = self.holder.load(Relaxed);
            let is_free = holder == 0 || holder != own;
            if is_free
                && self
                    .holder
                    .compare_exchange(holder, own, Acquire, Relaxed)
                    .is_ok()
            {
                return;
            }
            spins += 1;
            match spins % SPINS {
                // SAFETY: no arguments.
                0 => drop(unsafe { libc::sched_yield() }),
                _ => hint::spin_loop(),
            }
        }
    }

    /// In a forked child: the holder, if any, is not here.
    pub fn reset(&self) {
        self.holder.store(0, Release);
    }
}

/// Holds the lock, and knows the mask to go back to.
struct Held<'a>(&'a AtomicU32, u64);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.store(0, Release);
        set_mask(self.1);
    }
}

/// Sets the thread's mask of signals and returns the one before.
fn set_mask(mask: u64) -> u64 {
    let mut before = 0u64;
    // SAFETY: both are words of the size that is passed.
    unsafe {
        system_call(
            libc::SYS_rt_sigprocmask,
            [
                libc::SIG_SETMASK as u64,
                (&raw const mask) as u64,
                (&raw mut before) as u64,
                size_of::<u64>() as u64,
            ],
        )
    };
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{self, AssertUnwindSafe};
    use std::thread;

    #[test]
    fn threads_take_turns_and_a_holder_that_is_not_here_is_none() {
        static LOCK: SignalLock<u64> = SignalLock::new(0);
        LOCK.holder.store(u32::MAX, Relaxed);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| LOCK.with(|count| *count += 1)));
            }
        });
        assert_eq!(LOCK.with(|count| *count), 40_000);
    }

    #[test]
    fn a_panic_frees_the_lock_and_restores_the_mask() {
        let lock = SignalLock::new(1);
        let before = set_mask(1 << (libc::SIGUSR1 - 1));
        let caught = panic::catch_unwind(AssertUnwindSafe(|| {
            lock.with(|value| {
                *value = 2;
                panic!("while it is held");
            })
        }));
        assert_eq!(set_mask(before), 1 << (libc::SIGUSR1 - 1));
        assert_eq!(lock.holder.load(Relaxed), 0);
        assert!(caught.is_err() && lock.with(|value| *value) == 2);
    }

    #[test]
    fn the_mask_is_what_it_was() {
        let lock = SignalLock::new(());
        let before = set_mask(1 << (libc::SIGUSR1 - 1));
        let inside = lock.with(|()| set_mask(u64::MAX));
        // All but SIGKILL and SIGSTOP.
        assert_eq!(inside, !(1 << 8 | 1 << 18));
        assert_eq!(set_mask(before), 1 << (libc::SIGUSR1 - 1));
    }
}
