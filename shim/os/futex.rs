//! Waits for a word of memory to change: without a lock, so also in signal handlers and after a fork.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering::Acquire};
use std::time::{Duration, Instant};

/// Sleeps while the word is `value`, until a [`wake`] or a signal, and no longer than `most`.
pub fn wait(at: &AtomicU32, value: u32, most: Duration) {
    let most = libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: most.subsec_nanos().into(),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel reads a borrowed word and a local time-out.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            at.as_ptr(),
            operation,
            value,
            &raw const most,
        )
    };
}

/// Sleeps until the word is not `value`. `false` if it still is after `most`.
pub fn wait_while(at: &AtomicU32, value: u32, most: Duration) -> bool {
    let end = Instant::now() + most;
    while at.load(Acquire) == value {
        match end.checked_duration_since(Instant::now()) {
            Some(left) => wait(at, value, left),
            None => return false,
        }
    }
    true
}

/// Wakes at most `count` threads that wait at the word.
pub fn wake(at: &AtomicU32, count: c_int) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel uses the address of a borrowed word, and does not read it.
    unsafe { libc::syscall(libc::SYS_futex, at.as_ptr(), operation, count) };
}

/// Wakes all threads that wait at the word.
pub fn wake_all(at: &AtomicU32) {
    wake(at, c_int::MAX);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Release;
    use std::thread;

    #[test]
    fn a_change_ends_the_wait_and_without_one_the_time_does() {
        static WORD: AtomicU32 = AtomicU32::new(0);
        assert!(!wait_while(&WORD, 0, Duration::from_millis(1)));
        let waiter = thread::spawn(|| wait_while(&WORD, 0, Duration::from_secs(60)));
        WORD.store(1, Release);
        wake_all(&WORD);
        assert!(waiter.join().expect("it ends"));
        assert!(wait_while(&WORD, 0, Duration::ZERO));
    }
}
