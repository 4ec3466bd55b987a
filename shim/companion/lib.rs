//! libaclsan_free.so: hooks libc's allocator: releases for the rule `libc-free`, allocations for the leak scan; and what must know of pages
//! that are protected with `host_access=trap`: buffers ([`buffers`]), mappings ([`mappings`]), signals ([`signals`]).
//!
//! A separate library, because all host memory passes through it: it is preloaded only with the options `libc_free=1`, `leak_scan=1` and
//! `host_access=trap`.
//! `new` and `delete` come through `malloc` and `free`. An address outside the ranges that libaclsan.so publishes costs two comparisons;
//! one inside is reported to libaclsan.so, which looks the block up. In any case libc's own function is then called, as the program asked.
//!
//! Runs before constructors, inside allocators and inside the loader, so it allocates nothing, takes no lock and, but for its constructor, calls
//! nothing of the loader.

mod buffers;
mod chunks;
mod host_pages;
mod mappings;
mod next;
mod signals;

use next::Next;

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// The table that libaclsan.so exports as `aclsan_ranges`: start and end of device memory, start and end of host memory, whether this
/// library is loaded, whether allocations are tracked, the address of our table of chunks; whether host memory may be protected, and where
/// the bounds of protected pages are. `shim/state/companion.rs` has the same layout.
type Ranges = [AtomicU64; 10];

/// `aclsan_libc_release(address, function, frame: pc, sp, fp)`.
type ReportFn = unsafe extern "C" fn(*mut c_void, u32, u64, u64, u64);

static RANGES: AtomicPtr<Ranges> = AtomicPtr::new(std::ptr::null_mut());
static REPORT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static FREE: Next = Next::new(c"free");
static REALLOC: Next = Next::new(c"realloc");
static REALLOCARRAY: Next = Next::new(c"reallocarray");
static MALLOC: Next = Next::new(c"malloc");
static CALLOC: Next = Next::new(c"calloc");
static IS_INSIDE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

/// Finds libaclsan.so. Until then, and without it, every address is libc's.
extern "C" fn init() {
    // SAFETY: a pseudo-handle and a terminated name.
    let find = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let tell = find(c"aclsan_libc_release");
    let ranges: *mut Ranges = find(c"aclsan_ranges").cast();
    // SAFETY: null, or libaclsan.so's table, which is never unloaded.
    if let Some(table) = unsafe { ranges.as_ref() }.filter(|_| !tell.is_null()) {
        REPORT.store(tell, Relaxed);
        IS_INSIDE.store(find(c"aclsan_is_inside"), Relaxed);
        host_pages::init(table, find);
        table[6].store(chunks::address(), Relaxed);
        table[4].store(1, Relaxed);
        RANGES.store(ranges, Relaxed);
    }
}

/// Whether the runtime's chunks are tracked.
#[inline(always)]
fn is_tracking() -> bool {
    // SAFETY: null, or libaclsan.so's table.
    let ranges = unsafe { RANGES.load(Relaxed).as_ref() };
    ranges.is_some_and(|ranges| ranges[5].load(Relaxed) != 0)
}

/// Tracks a chunk that the runtime allocates while it works for the program: its own records, not pointers that the program keeps.
#[cold]
#[inline(never)]
fn track(chunk: *mut c_void, size: usize) {
    // An earlier chunk here may have been freed unseen: the C library's own releases do not pass through us.
    chunks::remove(chunk as u64);
    let is_inside = IS_INSIDE.load(Relaxed);
    if chunk.is_null() || is_inside.is_null() {
        return;
    }
    // SAFETY: libaclsan.so's function of this type.
    let is_inside =
        unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> bool>(is_inside) };
    if is_inside() {
        chunks::add(chunk as u64, size as u64);
    }
}

/// Clears a chunk of the runtime that is being freed: its contents would look like pointers that are still stored.
#[cold]
#[inline(never)]
fn wipe(chunk: *mut c_void) {
    if let Some(size) = chunks::remove(chunk as u64) {
        // It may be a different, smaller chunk by now, which bypassed us.
        // SAFETY: a chunk that its owner is freeing right now.
        let room = unsafe { libc::malloc_usable_size(chunk) };
        // SAFETY: as above, no further than it reaches.
        unsafe { libc::memset(chunk, 0, room.min(size as usize)) };
    }
}

/// `malloc`.
#[unsafe(export_name = "malloc")]
unsafe extern "C" fn malloc_entry(size: usize) -> *mut c_void {
    let next = MALLOC.get();
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the next definition, whose type C gives.
    let next = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize) -> *mut c_void>(next)
    };
    // SAFETY: the caller's own argument.
    let chunk = unsafe { next(size) };
    if is_tracking() {
        track(chunk, size);
    }
    chunk
}

/// `calloc`.
#[unsafe(export_name = "calloc")]
unsafe extern "C" fn calloc_entry(count: usize, size: usize) -> *mut c_void {
    type Calloc = unsafe extern "C" fn(usize, usize) -> *mut c_void;
    let next = CALLOC.get();
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the next definition, whose type C gives.
    let next = unsafe { std::mem::transmute::<*mut c_void, Calloc>(next) };
    // SAFETY: the caller's own arguments.
    let chunk = unsafe { next(count, size) };
    if is_tracking() {
        track(chunk, count.saturating_mul(size));
    }
    chunk
}

#[inline(always)]
fn is_watched(address: *mut c_void) -> bool {
    // SAFETY: null, or libaclsan.so's table.
    let Some(ranges) = (unsafe { RANGES.load(Relaxed).as_ref() }) else {
        return false;
    };
    let bound = |at: usize| ranges[at].load(Relaxed);
    let address = address as u64;
    (bound(0)..bound(1)).contains(&address) || (bound(2)..bound(3)).contains(&address)
}

/// Reports a release to libaclsan.so. Inlined, so that the frame is that of the exported function.
macro_rules! report {
    ($address:expr, $which:expr) => {
        if is_watched($address) {
            let here = host_pages::here!();
            report_release($address, $which, here.pc, here.sp, here.fp);
        }
    };
}

#[cold]
#[inline(never)]
fn report_release(address: *mut c_void, which: u32, pc: u64, sp: u64, fp: u64) {
    // SAFETY: set with RANGES, to a function of this type.
    let report = unsafe { std::mem::transmute::<*mut c_void, ReportFn>(REPORT.load(Relaxed)) };
    // SAFETY: returns the address of this thread's variable.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: this thread's variable; `free` preserves it.
    let saved = unsafe { *errno };
    // SAFETY: takes any address, and a frame of this thread's stack.
    unsafe { report(address, which, pc, sp, fp) };
    // SAFETY: as above.
    unsafe { *errno = saved };
}

/// `free`.
#[unsafe(export_name = "free")]
unsafe extern "C" fn free_entry(address: *mut c_void) {
    report!(address, 0);
    if is_tracking() {
        wipe(address);
    }
    let next = FREE.get();
    if next.is_null() {
        return;
    }
    // SAFETY: the next definition, whose type C gives.
    let next =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(next) };
    // SAFETY: the caller's own argument.
    unsafe { next(address) }
}

/// Updates the table after `realloc` to `size` bytes: a chunk of the runtime that had `before` bytes is now at `chunk`, or stays if that is
/// null.
#[inline(always)]
fn update_moved(address: *mut c_void, chunk: *mut c_void, size: usize, before: Option<u64>) {
    match (chunk.is_null(), before) {
        (true, Some(before)) if size > 0 => chunks::add(address as u64, before), // Failed: the chunk stays.
        (false, _) if is_tracking() => track(chunk, size),
        _ => {}
    }
}

/// `realloc`.
#[unsafe(export_name = "realloc")]
unsafe extern "C" fn realloc_entry(address: *mut c_void, size: usize) -> *mut c_void {
    type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    report!(address, 1);
    let next = REALLOC.get();
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the next definition, whose type C gives.
    let next = unsafe { std::mem::transmute::<*mut c_void, Realloc>(next) };
    let before = if is_tracking() {
        chunks::remove(address as u64)
    } else {
        None
    };
    // SAFETY: the caller's own arguments.
    let chunk = unsafe { next(address, size) };
    update_moved(address, chunk, size, before);
    chunk
}

/// `reallocarray`.
#[unsafe(export_name = "reallocarray")]
unsafe extern "C" fn reallocarray_entry(
    address: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    type Reallocarray = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
    report!(address, 2);
    let next = REALLOCARRAY.get();
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the next definition, whose type GNU's header gives.
    let next = unsafe { std::mem::transmute::<*mut c_void, Reallocarray>(next) };
    let before = if is_tracking() {
        chunks::remove(address as u64)
    } else {
        None
    };
    // SAFETY: the caller's own arguments.
    let chunk = unsafe { next(address, count, size) };
    update_moved(address, chunk, count.saturating_mul(size), before);
    chunk
}
