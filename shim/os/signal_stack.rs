//! An alternate stack for the handlers of signals: at a stack overflow there is no other.

use crate::{maps, seccomp};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// For a stack walk and a message. Naming frames has a stack of its own.
const BYTES: usize = 64 * 1024;

/// The calling thread's alternate stack, if it is ours.
pub struct SignalStack {
    low: *mut c_void,
    bytes: usize,
}

impl SignalStack {
    /// Gives the calling thread an alternate stack, unless it has one. `None` too under a seccomp filter.
    pub fn install() -> Option<Self> {
        if seccomp::is_seccomp_active() {
            return None;
        }
        let has_none = current()?.ss_flags & libc::SS_DISABLE != 0;
        if !has_none {
            return None;
        }
        let page = maps::page_size() as usize;
        // SAFETY: asks for a number. What the kernel saves there may be large: AVX-512, AMX, SVE.
        let least = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) } as usize;
        let bytes = (BYTES + least).next_multiple_of(page) + page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
        let low = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        if low == libc::MAP_FAILED {
            return None;
        }
        let stack = Self { low, bytes };
        // SAFETY: the first page of the mapping made above.
        unsafe { libc::mprotect(low, page, libc::PROT_NONE) };
        let wanted = libc::stack_t {
            ss_sp: low.wrapping_byte_add(page),
            ss_flags: 0,
            ss_size: bytes - page,
        };
        // SAFETY: memory that nobody else uses, and that stays until the thread ends.
        let answer = unsafe { libc::sigaltstack(&wanted, null_mut()) };
        (answer == 0).then_some(stack)
    }
}

/// The calling thread's setting.
fn current() -> Option<libc::stack_t> {
    let mut now = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: asks, and writes into our own variable.
    let answer = unsafe { libc::sigaltstack(std::ptr::null(), now.as_mut_ptr()) };
    // SAFETY: all-zero is a valid value of every field.
    (answer == 0).then(|| unsafe { now.assume_init() })
}

impl Drop for SignalStack {
    /// On the thread that installed it. Should it still run there, it is never unmapped.
    fn drop(&mut self) {
        let own = self.low as usize..self.low as usize + self.bytes;
        let now = current().filter(|now| own.contains(&(now.ss_sp as usize)));
        if now.is_some() {
            let none = libc::stack_t {
                ss_sp: null_mut(),
                ss_flags: libc::SS_DISABLE,
                ss_size: 0,
            };
            // SAFETY: takes the setting away; the kernel refuses while a handler runs there.
            if unsafe { libc::sigaltstack(&none, null_mut()) } != 0 {
                return;
            }
        }
        // SAFETY: our own mapping, which the kernel does not know any more. Whoever else was given it by a query would use it only on this
        // thread, which ends.
        unsafe { libc::munmap(self.low, self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_one_and_keeps_its_own() {
        let none = std::thread::spawn(|| {
            // Threads of Rust have one.
            let before = current().unwrap();
            (SignalStack::install().is_none(), before.ss_flags)
        });
        assert_eq!(none.join().unwrap(), (true, 0));
    }
}
