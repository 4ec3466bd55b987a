//! Catches what a call throws that is no panic, which Rust cannot.

use super::next;
use std::ffi::{c_int, c_void};

/// Calls `function` with `argument`, and returns when that has returned or thrown. Instead of a table of handlers, the frame has the place where
/// exceptions land.
///
/// # Safety
/// `function` may be called with `argument`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn caught(
    function: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
) {
    std::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        ".cfi_lsda 0x1b, .Laclsan_landing",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "2: pop rbp",
        ".cfi_remember_state",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_restore_state",
        ".Laclsan_landing: mov rdi, rax",
        "call {end}",
        "jmp 2b",
        ".cfi_endproc",
        personality = sym personality, end = sym end)
}

/// As above.
///
/// # Safety
/// `function` may be called with `argument`.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn caught(
    function: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
) {
    std::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        ".cfi_lsda 0x1b, .Laclsan_landing",
        "stp x29, x30, [sp, -16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        "mov x9, x0",
        "mov x0, x1",
        "blr x9",
        "2: ldp x29, x30, [sp], 16",
        ".cfi_remember_state",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_restore_state",
        ".Laclsan_landing: bl {end}",
        "b 2b",
        ".cfi_endproc",
        personality = sym personality, end = sym end)
}

/// Where the ABI passes an exception to the code that it lands on: `rax`, `x0`.
const EXCEPTION_REGISTER: c_int = 0;

// Of the Itanium C++ ABI, level 1.
const VERSION: c_int = 1;
const SEARCH: c_int = 1;
const FORCED: c_int = 8;
const HANDLER_FOUND: c_int = 6;
const INSTALL_CONTEXT: c_int = 7;
const CONTINUE: c_int = 8;
const FATAL: c_int = 3;

/// "MOZ\0RUST": a panic, which is ours and goes on to where it is reported.
const PANIC: u64 = u64::from_be_bytes(*b"MOZ\0RUST");
/// What C++ libraries write in the higher bytes, the vendor's name apart.
const CPP: u64 = u32::from_be_bytes(*b"C++\0") as u64;

/// The header of an exception.
#[repr(C)]
struct Exception {
    class: u64,
    /// A function of the library that made it.
    cleanup: *const c_void,
}

unsafe extern "C" {
    fn _Unwind_DeleteException(exception: *mut Exception);
    fn _Unwind_GetLanguageSpecificData(context: *mut c_void) -> usize;
    fn _Unwind_SetIP(context: *mut c_void, address: usize);
    fn _Unwind_SetGR(context: *mut c_void, register: c_int, value: usize);
}

/// Catches all exceptions but panics. A forced unwinding ends the thread (`pthread_exit`), and cannot be held up.
unsafe extern "C" fn personality(
    version: c_int,
    actions: c_int,
    class: u64,
    exception: *mut Exception,
    context: *mut c_void,
) -> c_int {
    if version != VERSION {
        return FATAL;
    }
    if class == PANIC || actions & FORCED != 0 {
        return CONTINUE;
    }
    if actions & SEARCH != 0 {
        return HANDLER_FOUND;
    }
    // SAFETY: the unwinder's own context; the value is where `caught` has its landing.
    let landing = unsafe { _Unwind_GetLanguageSpecificData(context) };
    // SAFETY: likewise.
    unsafe { _Unwind_SetGR(context, EXCEPTION_REGISTER, exception as usize) };
    // SAFETY: likewise.
    unsafe { _Unwind_SetIP(context, landing) };
    INSTALL_CONTEXT
}

/// Ends an exception as a handler of its language does: C++ counts those under way, and its library deletes it.
unsafe extern "C" fn end(exception: *mut Exception) {
    type Begin = unsafe extern "C" fn(*mut Exception) -> *mut c_void;
    type End = unsafe extern "C-unwind" fn();
    // SAFETY: the exception that the unwinder has passed.
    let Exception { class, cleanup } = unsafe { exception.read() };
    let is_cpp = class & 0xffff_ff00 == CPP;
    let [begin, end] = [c"__cxa_begin_catch", c"__cxa_end_catch"]
        .map(|name| next::seen_from(cleanup.cast(), name));
    if !is_cpp || begin.is_null() || end.is_null() {
        // SAFETY: nobody else handles it.
        return unsafe { _Unwind_DeleteException(exception) };
    }
    // SAFETY: the function of that name in the ABI.
    let begin = unsafe { std::mem::transmute::<*mut c_void, Begin>(begin) };
    // SAFETY: likewise.
    let end = unsafe { std::mem::transmute::<*mut c_void, End>(end) };
    // SAFETY: the library's own exception, which it hands to a handler.
    unsafe { begin(exception) };
    // SAFETY: ends that handler, which deletes it.
    unsafe { end() };
}
