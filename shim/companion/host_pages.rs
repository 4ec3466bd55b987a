//! Reports to libaclsan.so about host memory that it protects.

use crate::next::Function;
use crate::{Ranges, Table};
use libc::c_int;
use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// `aclsan_host_buffer(address, size, function, is_write, frame: pc, sp, fp)`.
type BufferFn = extern "C" fn(u64, u64, u32, bool, u64, u64, u64);
type ActionFn = extern "C" fn(*const libc::sigaction, *mut libc::sigaction) -> bool;

static TABLE: Table = Table::unknown();
static BUFFER: Function<BufferFn> = Function::unknown();
static MAPPING: Function<extern "C" fn(u64, u64)> = Function::unknown();
static ARGUMENT: Function<extern "C" fn(u64)> = Function::unknown();
static EFAULT: Function<extern "C" fn()> = Function::unknown();
static SIGACTION: Function<ActionFn> = Function::unknown();

/// Looks up libaclsan.so's functions. Without one of them, nothing is reported.
pub fn init(table: *mut Ranges, find: impl Fn(&CStr) -> *mut c_void) {
    BUFFER.set(find(c"aclsan_host_buffer"));
    MAPPING.set(find(c"aclsan_host_mapping"));
    ARGUMENT.set(find(c"aclsan_host_argument"));
    EFAULT.set(find(c"aclsan_host_efault"));
    SIGACTION.set(find(c"aclsan_host_sigaction"));
    let is_whole = BUFFER.get().is_some()
        && MAPPING.get().is_some()
        && ARGUMENT.get().is_some()
        && EFAULT.get().is_some()
        && SIGACTION.get().is_some();
    if is_whole {
        TABLE.set(table);
    }
}

/// Whether host memory may be protected in this process.
#[inline(always)]
pub fn is_watching() -> bool {
    TABLE.get().is_some_and(|table| table[7].load(Relaxed) != 0)
}

/// Whether the bytes may be on protected pages.
#[inline(always)]
fn is_near(address: u64, size: u64) -> bool {
    let Some(table) = TABLE.get() else {
        return false;
    };
    if table[7].load(Relaxed) == 0 {
        return false;
    }
    let bound = |at: usize| {
        let bound = table[at].load(Relaxed) as *const AtomicU64;
        // SAFETY: published by libaclsan.so before it set the flag; a static.
        unsafe { bound.as_ref() }.map_or(0, |bound| bound.load(Relaxed))
    };
    address < bound(9) && bound(8) < address.saturating_add(size)
}

/// Whether any page is protected.
pub fn may_be_protected() -> bool {
    is_near(0, usize::MAX as u64)
}

/// Where a function of ours was called.
#[derive(Clone, Copy)]
pub struct Here {
    pub pc: u64,
    pub sp: u64,
    pub fp: u64,
}

/// The frame of the function that contains it.
macro_rules! here {
    () => {{
        let (pc, sp, fp): (u64, u64, u64);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads three registers and touches nothing else.
        unsafe {
            std::arch::asm!("lea {}, [rip]", "mov {}, rsp", "mov {}, rbp", out(reg) pc, out(reg) sp, out(reg) fp,
                options(nomem, nostack, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads three registers and touches nothing else.
        unsafe {
            std::arch::asm!("adr {}, .", "mov {}, sp", "mov {}, x29", out(reg) pc, out(reg) sp, out(reg) fp,
                options(nomem, nostack, preserves_flags));
        }
        $crate::host_pages::Here { pc, sp, fp }
    }};
}
pub(crate) use here;

/// libc is about to read or write a buffer. `which` counts the functions as libaclsan.so does.
#[inline(always)]
pub fn buffer(here: Here, address: *const c_void, size: usize, which: u32, is_write: bool) {
    if is_near(address as u64, size as u64) {
        report_buffer(here, address as u64, size as u64, which, is_write);
    }
}

#[cold]
#[inline(never)]
fn report_buffer(here: Here, address: u64, size: u64, which: u32, is_write: bool) {
    if let Some(report) = BUFFER.get() {
        keeping_errno(|| report(address, size, which, is_write, here.pc, here.sp, here.fp));
    }
}

/// The program changes what is mapped there.
pub fn mapping(address: u64, size: u64) {
    if is_watching()
        && let Some(report) = MAPPING.get()
    {
        keeping_errno(|| report(address, size));
    }
}

/// A system call is given this value.
#[inline(always)]
pub fn argument(value: u64) {
    if is_near(value, 1)
        && let Some(report) = ARGUMENT.get()
    {
        keeping_errno(|| report(value));
    }
}

/// A system call has returned `-1`.
#[inline(always)]
pub fn failed() {
    if is_watching()
        && errno().get() == libc::EFAULT
        && let Some(report) = EFAULT.get()
    {
        keeping_errno(|| report());
    }
}

/// The program's action at SIGSEGV; `false` if libc has to do it. Both are null or valid, as `sigaction` has it.
pub fn segv_action(new: *const libc::sigaction, old: *mut libc::sigaction) -> bool {
    is_watching() && SIGACTION.get().is_some_and(|replace| replace(new, old))
}

/// This thread's `errno`.
fn errno() -> &'static Cell<c_int> {
    // SAFETY: returns the address of this thread's variable.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: there as long as the thread, and no other thread's.
    unsafe { &*at.cast() }
}

pub fn keeping_errno(body: impl FnOnce()) {
    let before = errno().get();
    body();
    errno().set(before);
}

/// Defines functions of libc that do something first: `fn name(arguments) -> result, |here| first;`. If the next definition
/// is not there, the result is -1 and ENOSYS.
macro_rules! wrap {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty, |$here:ident| $first:expr;)+) => {$(
        $(#[doc = $doc])*
        #[unsafe(export_name = stringify!($name))]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
            static NEXT: $crate::next::Next<extern "C-unwind" fn($($ty),*) -> $ret> = $crate::next::Next::new(
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no NUL"),
                },
            );
            if $crate::host_pages::is_watching() {
                let $here = $crate::host_pages::here!();
                $first
            }
            match NEXT.get() {
                Some(next) => next($($arg),*),
                None => $crate::host_pages::missing() as $ret,
            }
        }
    )+};
}
pub(crate) use wrap;

/// Sets ENOSYS, and is -1.
#[cold]
pub fn missing() -> isize {
    errno().set(libc::ENOSYS);
    -1
}
