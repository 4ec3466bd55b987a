//! The third door: `dlsym` and `dlvsym` answer with our hooks, so programs that look AscendCL up by handle come through them too.
//!
//! libc's `dlsym` looks at its return address to know who asks; `RTLD_NEXT` means "after the caller". A wrapper that calls it would make
//! every other library's `RTLD_NEXT` start after *us*, and a preload behind us would find itself, without end. So our entries are naked:
//! they ask [`answer`], and for everything that is not ours jump to libc with the caller's own return address in place.

use super::TABLES;
use crate::next::{self, Interposed};
use crate::{elf, modules};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// libc's definitions, where the naked entries jump to; filled by [`answer`] before they do.
static REAL_DLSYM: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static REAL_DLVSYM: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// What a naked entry does next; in two registers, by the C ABI of both architectures.
#[repr(C)]
struct Answer {
    /// 0: jump to libc. 1: return `result`.
    is_ours: u64,
    result: *const (),
}

const NOT_OURS: Answer = Answer {
    is_ours: 0,
    result: std::ptr::null(),
};

/// Answers `dlsym`.
extern "C" fn answer(handle: *mut c_void, symbol: *const c_char) -> Answer {
    answer_with(handle, symbol, |symbol| next::dlsym(handle, symbol))
}

/// Answers `dlvsym`.
extern "C" fn answer_versioned(
    handle: *mut c_void,
    symbol: *const c_char,
    version: *const c_char,
) -> Answer {
    answer_with(handle, symbol, |symbol| {
        // SAFETY: libc's definition or `nothing`, whose type is that of GNU's dlvsym.
        let real = unsafe { std::mem::transmute::<*mut (), Dlvsym>(REAL_DLVSYM.load(Relaxed)) };
        // SAFETY: the caller's own arguments.
        unsafe { real(handle, symbol.as_ptr(), version) }
    })
}

/// Type of `dlvsym`.
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// Whether `symbol`, asked of `handle`, is one of ours. The runtime is asked first, by `ask`: what it lacks, we lack.
fn answer_with(
    handle: *mut c_void,
    symbol: *const c_char,
    ask: impl FnOnce(&CStr) -> *mut c_void,
) -> Answer {
    if REAL_DLSYM.load(Relaxed).is_null() {
        let real = |name| {
            elf::libc_symbol(name)
                .unwrap_or(nothing as *const ())
                .cast_mut()
        };
        REAL_DLVSYM.store(real(b"dlvsym"), Relaxed);
        REAL_DLSYM.store(real(b"dlsym"), Relaxed);
    }
    if handle == libc::RTLD_NEXT || symbol.is_null() {
        return NOT_OURS;
    }
    // SAFETY: the caller's own argument, a terminated name by dlsym's contract.
    let symbol = unsafe { CStr::from_ptr(symbol) };
    let Some(row) = row(symbol.to_bytes()) else {
        return NOT_OURS;
    };
    let mut found = ask(symbol);
    if found.is_null() {
        return NOT_OURS; // libc says it again, and sets dlerror.
    }
    if std::ptr::eq(found.cast(), row.hook()) {
        // Asked of the whole program: what counts is whether there is one behind ours. If not, this too sets dlerror.
        found = next::dlsym(libc::RTLD_NEXT, symbol);
    }
    row.offer(found.cast());
    let result = if found.is_null() {
        std::ptr::null()
    } else {
        row.hook()
    };
    Answer { is_ours: 1, result }
}

/// Stands in for a libc without `dlvsym`.
extern "C" fn nothing() -> *mut c_void {
    std::ptr::null_mut()
}

/// How the names of our rows begin.
const PREFIXES: [&[u8]; 8] = [
    b"acl",
    b"Acl",
    b"hi_mpi",
    b"rt",
    b"Hccl",
    b"Nnopbase",
    b"HIAI_",
    b"_Z",
];

fn row(symbol: &[u8]) -> Option<&'static Interposed> {
    static SORTED: OnceLock<Vec<&'static Interposed>> = OnceLock::new();
    // Nearly every name that anybody looks up ends here, also those that an allocator asks for before there is memory.
    if !PREFIXES.iter().any(|prefix| symbol.starts_with(prefix)) {
        return None;
    }
    let sorted = SORTED.get_or_init(|| {
        let mut rows: Vec<_> = TABLES
            .iter()
            .flat_map(|table| table.iter().copied().flatten().copied())
            .collect();
        rows.sort_by_key(|row| row.name());
        rows
    });
    sorted
        .binary_search_by_key(&symbol, |row| row.name().as_bytes())
        .ok()
        .map(|at| sorted[at])
}

// At entry the stack is 8 off a multiple of 16, and the arguments are in rdi, rsi, rdx.
#[cfg(target_arch = "x86_64")]
macro_rules! entry {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "push rdi", "push rsi", "push rdx",
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
macro_rules! entry {
    ($answer:path, $real:path) => {
        std::arch::naked_asm!(
            "stp x29, x30, [sp, -48]!",
            "mov x29, sp",
            "stp x0, x1, [sp, 16]",
            "str x2, [sp, 32]",
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

/// `dlsym`. Jumps, so that libc sees the caller's return address.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(export_name = "dlsym"))]
unsafe extern "C" fn dlsym_entry(_handle: *mut c_void, _symbol: *const c_char) -> *mut c_void {
    entry!(answer, REAL_DLSYM)
}

/// `dlvsym`. Jumps, so that libc sees the caller's return address.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(export_name = "dlvsym"))]
unsafe extern "C" fn dlvsym_entry(
    _handle: *mut c_void,
    _symbol: *const c_char,
    _version: *const c_char,
) -> *mut c_void {
    entry!(answer_versioned, REAL_DLVSYM)
}

/// `dlclose`: what was learnt about addresses is void, since other code may be loaded there next.
#[cfg_attr(not(test), unsafe(export_name = "dlclose"))]
unsafe extern "C" fn dlclose_entry(handle: *mut c_void) -> c_int {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    if REAL.load(Relaxed).is_null() {
        let Some(real) = elf::libc_symbol(b"dlclose") else {
            return -1;
        };
        REAL.store(real.cast_mut(), Relaxed);
    }
    // SAFETY: libc's definition, whose type POSIX gives.
    let real = unsafe { std::mem::transmute::<*mut (), next::Dlclose>(REAL.load(Relaxed)) };
    // SAFETY: the caller's own argument.
    let status = unsafe { real(handle) };
    modules::forget();
    status
}
