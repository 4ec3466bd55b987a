//! A timer that sends the reporting thread its signal once more. Made by system calls: libc's functions may allocate.

use crate::seccomp;
use crate::system_call::system_call;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// The kernel's `sigevent`, whose last field is a thread.
#[repr(C)]
struct Event {
    value: u64,
    signal: c_int,
    notify: c_int,
    thread: c_int,
    rest: [u8; 44],
}

/// A running timer.
pub(super) struct Watchdog(c_int);

impl Watchdog {
    /// Sends `signal` to the calling thread after `ms` milliseconds. `None` if the kernel refuses; under a seccomp filter it is not asked.
    pub(super) fn start(signal: c_int, ms: u64) -> Option<Self> {
        if seccomp::is_seccomp_active() {
            return None;
        }
        // SAFETY: asks the kernel for a number.
        let thread = unsafe { system_call(libc::SYS_gettid, [0; 4]) } as c_int;
        let event = Event {
            value: 0,
            signal,
            notify: libc::SIGEV_THREAD_ID,
            thread,
            rest: [0; 44],
        };
        let mut timer: c_int = 0;
        let made = [
            libc::CLOCK_MONOTONIC as u64,
            (&raw const event) as u64,
            (&raw mut timer) as u64,
            0,
        ];
        // SAFETY: a `sigevent` as the kernel has it, and room for the timer's number.
        if unsafe { system_call(libc::SYS_timer_create, made) } != 0 {
            return None;
        }
        // SAFETY: all-zero is a valid value of every field.
        let mut once: libc::itimerspec = unsafe { MaybeUninit::zeroed().assume_init() };
        once.it_value = span(ms);
        let set = [timer as u64, 0, (&raw const once) as u64, 0];
        // SAFETY: the timer just made, and its time.
        unsafe { system_call(libc::SYS_timer_settime, set) };
        Some(Self(timer))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // SAFETY: our own timer.
        unsafe { system_call(libc::SYS_timer_delete, [self.0 as u64, 0, 0, 0]) };
    }
}

/// Waits.
pub(super) fn wait_ms(ms: u64) {
    let time = span(ms);
    // SAFETY: a valid time; the rest of it is not wanted.
    unsafe { system_call(libc::SYS_nanosleep, [(&raw const time) as u64, 0, 0, 0]) };
}

fn span(ms: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ms / 1000).cast_signed(),
        tv_nsec: (ms % 1000 * 1_000_000).cast_signed(),
    }
}
