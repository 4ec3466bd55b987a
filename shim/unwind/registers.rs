//! The registers of the calling function, and the bounds of its stack.

use crate::frame::Frame;
use aclsan_os::{maps, seccomp};
use std::mem::MaybeUninit;

/// The caller's own frame. Inlined, so that the registers are those of the function that contains the call.
#[inline(always)]
pub fn here() -> Frame {
    let mut frame = Frame::default();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads three registers and touches nothing else.
    unsafe {
        std::arch::asm!("lea {}, [rip]", "mov {}, rsp", "mov {}, rbp", out(reg) frame.pc, out(reg) frame.sp, out(reg) frame.fp,
            options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads three registers and touches nothing else.
    unsafe {
        std::arch::asm!("adr {}, .", "mov {}, sp", "mov {}, x29", out(reg) frame.pc, out(reg) frame.sp, out(reg) frame.fp,
            options(nomem, nostack, preserves_flags));
    }
    frame
}

/// The callee-saved registers: they hold values of the caller or of its callers.
#[inline(always)]
pub fn saved() -> [u64; 10] {
    let mut saved = [0; 10];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: writes six words to our own array and touches nothing else.
    unsafe {
        std::arch::asm!("mov [{0}], rbx", "mov [{0} + 8], rbp", "mov [{0} + 16], r12", "mov [{0} + 24], r13", "mov [{0} + 32], r14",
            "mov [{0} + 40], r15", in(reg) saved.as_mut_ptr(), options(nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: writes ten words to our own array and touches nothing else.
    unsafe {
        std::arch::asm!("stp x19, x20, [{0}]", "stp x21, x22, [{0}, #16]", "stp x23, x24, [{0}, #32]", "stp x25, x26, [{0}, #48]",
            "stp x27, x28, [{0}, #64]", in(reg) saved.as_mut_ptr(), options(nostack, preserves_flags));
    }
    saved
}

/// The addresses `low..high` of the calling thread's stack; an empty range if libc cannot tell.
///
/// Costs a system call or, on the main thread, a read of `/proc/self/maps`: call it once per thread.
pub fn stack_bounds() -> (u64, u64) {
    if seccomp::is_seccomp_active() {
        return maps::mapping_containing(here().sp).unwrap_or_default();
    }
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: pthread_self has no preconditions.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: fills `attributes`, which is large enough by its type, on success.
    if unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) } != 0 {
        return (0, 0);
    }
    let mut low = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: `attributes` was filled above; the results are local variables.
    let reported =
        unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut bytes) };
    // SAFETY: `attributes` was filled above and is not used again.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    if reported == 0 {
        (low as u64, low as u64 + bytes as u64)
    } else {
        (0, 0)
    }
}
