//! A lock that is held for some dozens or hundreds of instructions. It is released by a plain store, where a mutex needs a second atomic exchange,
//! to see whether somebody sleeps; hooks take one twice for each pair of calls, and up to three times for a call that is judged.
//!
//! Who finds it held spins, then yields, then sleeps for longer and longer: a thread with a higher priority would never let the holder
//! run otherwise.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::wait;
use aclsan_os::lock::{Held, Rank, give_up_reporting};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Times that a thread which reports a crash waits for a lock: it may hold that lock itself.
const MAX_ROUNDS: u32 = 256;

/// A value that one thread at a time can use. A panic while it is held leaves the value as it is.
pub struct SpinLock<R, T> {
    rank: PhantomData<fn() -> R>,
    is_held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the lock hands the value to one thread at a time, which `Send` allows.
unsafe impl<R, T: Send> Sync for SpinLock<R, T> {}

/// Holds the lock.
pub struct SpinGuard<'a, R, T>(
    &'a SpinLock<R, T>,
    #[allow(dead_code, reason = "held as long as the lock is")] Held,
);

impl<R: Rank, T> SpinLock<R, T> {
    /// A free lock.
    pub fn new(value: T) -> Self {
        Self {
            rank: PhantomData,
            is_held: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until the lock is free, and takes it.
    #[inline(always)]
    pub fn lock(&self) -> SpinGuard<'_, R, T> {
        let held = Held::in_order::<R>();
        if !self.try_lock() {
            self.wait_and_lock();
        }
        SpinGuard(self, held)
    }

    #[inline(always)]
    fn try_lock(&self) -> bool {
        let taken =
            self.is_held
                .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    }

    #[cold]
    #[inline(never)]
    fn wait_and_lock(&self) {
        let mut round = 0;
        // Read first: an exchange would take the cache line from the holder.
        while self.is_held.load(Ordering::Relaxed) || !self.try_lock() {
            wait(round);
            round += 1;
            if round.is_multiple_of(MAX_ROUNDS) {
                give_up_reporting();
            }
        }
    }
}

impl<R: Rank, T: Default> Default for SpinLock<R, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<R, T> Drop for SpinGuard<'_, R, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.is_held.store(false, Ordering::Release);
    }
}

impl<R, T> Deref for SpinGuard<'_, R, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this guard holds the lock, so that no other thread has a reference.
        unsafe { &*self.0.value.get() }
    }
}

impl<R, T> DerefMut for SpinGuard<'_, R, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard holds the lock, and is borrowed for as long as the reference lives.
        unsafe { &mut *self.0.value.get() }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use aclsan_os::lock::rank::Objects;
    use std::thread;

    #[test]
    fn four_threads_take_turns_also_if_the_holder_takes_its_time() {
        let lock = SpinLock::<Objects, _>::new(0u64);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..2_000 {
                        let mut value = lock.lock();
                        let before = *value;
                        if round % 500 == 0 {
                            thread::yield_now(); // Long enough for the others to sleep.
                        }
                        *value = before + 1;
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), 8_000);
    }

    #[test]
    fn a_panic_frees_the_lock() {
        let lock = SpinLock::<Objects, _>::new(1);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut held = lock.lock();
            *held = 2;
            assert_eq!(*held, 1, "a panic while it is held");
        }));
        assert!(caught.is_err() && *lock.lock() == 2);
    }
}
