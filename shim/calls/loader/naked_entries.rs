//! Entries for the loader functions that look at their return address. They are naked, so that libc still sees the caller's.

use super::dlopen::{REAL_DLOPEN, open};
use super::{REAL_DLSYM, REAL_DLVSYM, answer, answer_versioned};
use std::ffi::{c_char, c_int, c_void};

// At entry the stack pointer is 8 off a multiple of 16, and the arguments are in rdi, rsi, rdx.
#[cfg(target_arch = "x86_64")]
macro_rules! look_up {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "push rdi", "push rsi", "push rdx",
            "mov rcx, qword ptr [rsp + 24]", // the return address
            "call {answer}",
            "mov rcx, rdx",
            "pop rdx", "pop rsi", "pop rdi",
            "test rax, rax",
            "jne 2f",
            "mov rax, qword ptr [rip + {real}]",
            "jmp rax",
            "2: mov rax, rcx",
            "ret",
            answer = sym $answer, real = sym $real)
    };
}

// The arguments are in x0, x1, x2; the return address is in x30, which libc must find there.
#[cfg(target_arch = "aarch64")]
macro_rules! look_up {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "stp x29, x30, [sp, -48]!",
            "mov x29, sp",
            "stp x0, x1, [sp, 16]",
            "str x2, [sp, 32]",
            "mov x3, x30", // the return address
            "bl {answer}",
            "mov x9, x0",
            "mov x10, x1",
            "ldr x2, [sp, 32]",
            "ldp x0, x1, [sp, 16]",
            "ldp x29, x30, [sp], 48",
            "cbnz x9, 2f",
            "adrp x16, {real}",
            "ldr x16, [x16, :lo12:{real}]",
            "br x16",
            "2: mov x0, x10",
            "ret",
            answer = sym $answer, real = sym $real)
    };
}

// As `look_up`, for a function of a path and flags. What is not ours is called with other flags: the result.
#[cfg(target_arch = "x86_64")]
macro_rules! with_flags {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "push rdi",
            "call {answer}",
            "pop rdi",
            "test rax, rax",
            "jne 2f",
            "mov esi, edx",
            "mov rax, qword ptr [rip + {real}]",
            "jmp rax",
            "2: mov rax, rdx",
            "ret",
            answer = sym $answer, real = sym $real)
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! with_flags {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "stp x29, x30, [sp, -32]!",
            "mov x29, sp",
            "str x0, [sp, 16]",
            "bl {answer}",
            "mov x9, x0",
            "ldr x0, [sp, 16]",
            "ldp x29, x30, [sp], 32",
            "cbnz x9, 2f",
            "adrp x16, {real}",
            "ldr x16, [x16, :lo12:{real}]",
            "br x16",
            "2: mov x0, x1",
            "ret",
            answer = sym $answer, real = sym $real)
    };
}

/// `dlsym`.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(export_name = "dlsym"))]
pub unsafe extern "C" fn dlsym_entry(_handle: *mut c_void, _symbol: *const c_char) -> *mut c_void {
    look_up!(answer, REAL_DLSYM)
}

/// `dlvsym`.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(export_name = "dlvsym"))]
pub unsafe extern "C" fn dlvsym_entry(
    _handle: *mut c_void,
    _symbol: *const c_char,
    _version: *const c_char,
) -> *mut c_void {
    look_up!(answer_versioned, REAL_DLVSYM)
}

/// `dlopen`: the caller's run path, `$ORIGIN` and namespace determine what it finds.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(export_name = "dlopen"))]
pub unsafe extern "C" fn dlopen_entry(_path: *const c_char, _flags: c_int) -> *mut c_void {
    with_flags!(open, REAL_DLOPEN)
}
