//! Reports to libaclsan.so about host memory that it protects.

use crate::Ranges;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// `aclsan_host_buffer(address, size, function, is_write, frame: pc, sp, fp)`.
type BufferFn = unsafe extern "C" fn(u64, u64, u32, bool, u64, u64, u64);

static TABLE: AtomicPtr<Ranges> = AtomicPtr::new(std::ptr::null_mut());
static BUFFER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static MAPPING: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static ARGUMENT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static EFAULT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static SIGACTION: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Looks up libaclsan.so's functions. Without one of them, nothing is reported.
pub fn init(table: &'static Ranges, find: impl Fn(&CStr) -> *mut c_void) {
    let functions = [
        (&BUFFER, c"aclsan_host_buffer"),
        (&MAPPING, c"aclsan_host_mapping"),
        (&ARGUMENT, c"aclsan_host_argument"),
        (&EFAULT, c"aclsan_host_efault"),
        (&SIGACTION, c"aclsan_host_sigaction"),
    ];
    for (kept, name) in functions {
        let found = find(name);
        if found.is_null() {
            return;
        }
        kept.store(found, Relaxed);
    }
    TABLE.store(std::ptr::from_ref(table).cast_mut(), Relaxed);
}

/// Whether host memory may be protected in this process.
#[inline(always)]
pub fn is_watching() -> bool {
    // SAFETY: null, or libaclsan.so's table, which is never unloaded.
    let table = unsafe { TABLE.load(Relaxed).as_ref() };
    table.is_some_and(|table| table[7].load(Relaxed) != 0)
}

/// Whether the bytes may be on protected pages.
#[inline(always)]
fn is_near(address: u64, size: u64) -> bool {
    // SAFETY: as above.
    let Some(table) = (unsafe { TABLE.load(Relaxed).as_ref() }) else {
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
    // SAFETY: set with the table, to a function of this type.
    let report = unsafe { std::mem::transmute::<*mut c_void, BufferFn>(BUFFER.load(Relaxed)) };
    // SAFETY: takes any range, and a frame of this thread's stack.
    keeping_errno(|| unsafe { report(address, size, which, is_write, here.pc, here.sp, here.fp) });
}

/// The program changes what is mapped there.
pub fn mapping(address: u64, size: u64) {
    if is_watching() {
        // SAFETY: set with the table, to a function of this type.
        let report = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64, u64)>(
                MAPPING.load(Relaxed),
            )
        };
        // SAFETY: takes any range.
        keeping_errno(|| unsafe { report(address, size) });
    }
}

/// A system call is given this value.
#[inline(always)]
pub fn argument(value: u64) {
    if is_near(value, 1) {
        // SAFETY: set with the table, to a function of this type.
        let report = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64)>(ARGUMENT.load(Relaxed))
        };
        // SAFETY: takes any value.
        keeping_errno(|| unsafe { report(value) });
    }
}

/// A system call has returned `-1`.
#[inline(always)]
pub fn failed() {
    if is_watching() && errno() == libc::EFAULT {
        // SAFETY: set with the table, to a function of this type.
        let report = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(EFAULT.load(Relaxed))
        };
        // SAFETY: no arguments.
        keeping_errno(|| unsafe { report() });
    }
}

/// The program's action at SIGSEGV; `false` if libc has to do it.
///
/// # Safety
/// Both are null or valid.
pub unsafe fn segv_action(new: *const libc::sigaction, old: *mut libc::sigaction) -> bool {
    type Action = unsafe extern "C" fn(*const libc::sigaction, *mut libc::sigaction) -> bool;
    if !is_watching() {
        return false;
    }
    // SAFETY: set with the table, to a function of this type.
    let replace = unsafe { std::mem::transmute::<*mut c_void, Action>(SIGACTION.load(Relaxed)) };
    // SAFETY: the caller's promise.
    unsafe { replace(new, old) }
}

fn errno() -> i32 {
    // SAFETY: returns the address of this thread's variable.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: this thread's variable.
    unsafe { *at }
}

pub fn keeping_errno(body: impl FnOnce()) {
    let before = errno();
    body();
    // SAFETY: returns the address of this thread's variable.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: this thread's variable.
    unsafe { *at = before };
}

/// Defines functions of libc that do something first: `fn name(arguments) -> result, |here| first;`. If the next definition
/// is not there, the result is -1 and ENOSYS.
macro_rules! wrap {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty, |$here:ident| $first:expr;)+) => {$(
        $(#[doc = $doc])*
        #[unsafe(export_name = stringify!($name))]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
            static NEXT: $crate::next::Next = $crate::next::Next::new(
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no NUL"),
                },
            );
            if $crate::host_pages::is_watching() {
                let $here = $crate::host_pages::here!();
                $first
            }
            let next = NEXT.get();
            if next.is_null() {
                return $crate::host_pages::missing() as $ret;
            }
            // SAFETY: the next definition, whose type C gives.
            let next = unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(next)
            };
            // SAFETY: the caller's own arguments.
            unsafe { next($($arg),*) }
        }
    )+};
}
pub(crate) use wrap;

/// Sets ENOSYS, and is -1.
#[cold]
pub fn missing() -> isize {
    // SAFETY: returns the address of this thread's variable.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: this thread's variable.
    unsafe { *at = libc::ENOSYS };
    -1
}
