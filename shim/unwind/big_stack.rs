//! Runs rare, stack-hungry work on a stack of our own if the caller's may be too small: threads may have 16 KiB, and
//! coroutines less.

use crate::registers;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What looking up unwind tables, reading modules and naming frames take together. Most by far is for a name that nests as deep as
/// `aclsan-frames` follows it, whose tests hold it to 448 KiB unoptimized; other work takes 48.
const MIN_FREE: u64 = 512 * 1024;
/// Size of our stack, without its guard page.
const STACK_BYTES: usize = 1024 * 1024;

/// Runs `body`, on a stack of our own unless at least [`MIN_FREE`] is left. `low` and `high` bound the calling thread's
/// own stack, if known.
pub fn run_on_big_stack<T>((low, high): (u64, u64), body: impl FnOnce() -> T) -> T {
    let here = registers::here().sp;
    let is_roomy = (low..high).contains(&here) && here - low >= MIN_FREE;
    if is_roomy {
        return body();
    }
    match BigStack::map() {
        Some(stack) => stack.run(body),
        None => body(),
    }
}

/// A stack of our own.
struct BigStack {
    low: *mut c_void,
    bytes: usize,
}

impl BigStack {
    fn map() -> Option<Self> {
        let page = aclsan_os::maps::page_size() as usize;
        let bytes = STACK_BYTES + page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
        let low = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if low == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the first page of the mapping made above.
        unsafe { libc::mprotect(low, page, libc::PROT_NONE) };
        Some(Self { low, bytes })
    }

    fn run<T, F: FnOnce() -> T>(self, body: F) -> T {
        struct Work<T, F> {
            body: Option<F>,
            done: Option<std::thread::Result<T>>,
        }
        /// Nothing may unwind out of it: there is no way back across the other stack.
        extern "C" fn begin<T, F: FnOnce() -> T>(work: *mut c_void) {
            // SAFETY: what `run` passed, which waits for us.
            let work = unsafe { &mut *work.cast::<Work<T, F>>() };
            if let Some(body) = work.body.take() {
                work.done = Some(catch_unwind(AssertUnwindSafe(body)));
            }
        }
        let mut work = Work {
            body: Some(body),
            done: None,
        };
        let top = self.low.wrapping_byte_add(self.bytes);
        // SAFETY: `top` is the aligned end of a stack that nobody else uses, and `begin` accepts the pointer.
        unsafe { call_on(top, begin::<T, F>, (&raw mut work).cast()) };
        match work.done {
            Some(Ok(done)) => done,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("`begin` was called"),
        }
    }
}

impl Drop for BigStack {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`; the thread has left it.
        unsafe { libc::munmap(self.low, self.bytes) };
    }
}

/// Calls `work` with `data` on the stack that ends at `top`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn call_on(
    _top: *mut c_void,
    _work: extern "C" fn(*mut c_void),
    _data: *mut c_void,
) {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rsi",
        "mov rsp, rbp",
        "pop rbp",
        "ret"
    )
}

/// Calls `work` with `data` on the stack that ends at `top`.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn call_on(
    _top: *mut c_void,
    _work: extern "C" fn(*mut c_void),
    _data: *mut c_void,
) {
    std::arch::naked_asm!(
        "stp x29, x30, [sp, -16]!",
        "mov x29, sp",
        "mov sp, x0",
        "mov x0, x2",
        "blr x1",
        "mov sp, x29",
        "ldp x29, x30, [sp], 16",
        "ret"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_elsewhere_comes_back_and_so_does_a_panic() {
        let (here, mut there) = (registers::here().sp, 0);
        let done = run_on_big_stack((0, 0), || {
            there = registers::here().sp;
            vec![1, 2, 3]
        });
        assert_eq!(done, [1, 2, 3]);
        assert!(there.abs_diff(here) > STACK_BYTES as u64 / 2);
        let panicked = catch_unwind(|| run_on_big_stack((0, 0), || panic!("there")));
        assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "there");
    }

    #[test]
    fn where_there_is_room_nothing_is_switched() {
        let bounds = registers::stack_bounds();
        let there = run_on_big_stack(bounds, || registers::here().sp);
        assert!((bounds.0..bounds.1).contains(&there));
    }
}
