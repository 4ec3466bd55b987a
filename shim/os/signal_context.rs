//! The registers that a signal interrupted, and how a handler returns to others.

use libc::ucontext_t;

/// Program counter, stack pointer, frame pointer, and on aarch64 the link register.
#[cfg(target_arch = "x86_64")]
pub fn registers(context: &ucontext_t) -> [u64; 4] {
    let all = &context.uc_mcontext.gregs;
    [libc::REG_RIP, libc::REG_RSP, libc::REG_RBP, libc::REG_RIP].map(|at| all[at as usize] as u64)
}

/// As above.
#[cfg(target_arch = "aarch64")]
pub fn registers(context: &ucontext_t) -> [u64; 4] {
    let all = &context.uc_mcontext;
    [all.pc, all.sp, all.regs[29], all.regs[30]]
}

/// The registers that a called function preserves: they hold values of its callers.
#[cfg(target_arch = "x86_64")]
pub fn preserved(context: &ucontext_t) -> [u64; 10] {
    let all = &context.uc_mcontext.gregs;
    let of = |at: libc::c_int| all[at as usize] as u64;
    let [rbx, rbp, r12, r13, r14, r15] = [
        libc::REG_RBX,
        libc::REG_RBP,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ]
    .map(of);
    [rbx, rbp, r12, r13, r14, r15, 0, 0, 0, 0]
}

/// As above.
#[cfg(target_arch = "aarch64")]
pub fn preserved(context: &ucontext_t) -> [u64; 10] {
    std::array::from_fn(|at| context.uc_mcontext.regs[19 + at])
}

/// Makes the handler that was given `context` return to what another signal had interrupted: the same registers, mask and alternate stack.
/// The other handler's frame is still there, as the floating-point registers are in it.
///
/// # Safety
/// The kernel passed both to handlers of this thread that have not returned.
#[cfg(target_arch = "x86_64")]
pub unsafe fn resume(context: *mut ucontext_t, earlier: *const ucontext_t) {
    // The kernel's structure ends after the first word of the mask; behind it is `siginfo_t`.
    let bytes = std::mem::offset_of!(ucontext_t, uc_sigmask) + size_of::<u64>();
    // SAFETY: the caller's promise; both have that many bytes.
    unsafe { std::ptr::copy(earlier.cast::<u8>(), context.cast::<u8>(), bytes) };
}

/// As above.
///
/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
pub unsafe fn resume(context: *mut ucontext_t, earlier: *const ucontext_t) {
    // SAFETY: the caller's promise; the kernel's structure has the size of libc's.
    unsafe { std::ptr::copy(earlier, context, 1) };
}
