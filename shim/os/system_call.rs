//! System calls without libc: the program, or our companion library, may have replaced its functions.

/// Makes system call `number` and returns what the kernel does: a negative error number if it fails.
///
/// # Safety
/// As the call itself.
#[cfg(target_arch = "x86_64")]
pub unsafe fn system_call(number: i64, [a, b, c, d]: [u64; 4]) -> i64 {
    let answer: i64;
    // SAFETY: the caller's promise; the kernel changes these two registers and the answer's.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number => answer, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    answer
}

/// As above.
///
/// # Safety
/// As the call itself.
#[cfg(target_arch = "aarch64")]
pub unsafe fn system_call(number: i64, [a, b, c, d]: [u64; 4]) -> i64 {
    let answer: i64;
    // SAFETY: the caller's promise; the kernel changes the answer's register only.
    unsafe {
        std::arch::asm!("svc 0", in("x8") number, inlateout("x0") a as i64 => answer, in("x1") b, in("x2") c, in("x3") d,
            options(nostack));
    }
    answer
}
