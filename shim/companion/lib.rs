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

use next::{Function, Next};

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// The table that libaclsan.so exports as `aclsan_ranges`: start and end of device memory, start and end of host memory, whether this
/// library is loaded, whether allocations are tracked, the address of our table of chunks; whether host memory may be protected, and where
/// the bounds of protected pages are. `shim/state/companion.rs` has the same layout.
type Ranges = [AtomicU64; 10];

/// Where that table is, once it is known.
struct Table(AtomicPtr<Ranges>);

impl Table {
    const fn unknown() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    fn set(&self, table: *mut Ranges) {
        self.0.store(table, Relaxed);
    }

    #[inline(always)]
    fn get(&self) -> Option<&'static Ranges> {
        // SAFETY: null, or libaclsan.so's table, which is never unloaded.
        unsafe { self.0.load(Relaxed).as_ref() }
    }
}

/// `aclsan_libc_release(address, function, frame: pc, sp, fp)`.
type ReportFn = extern "C" fn(*mut c_void, u32, u64, u64, u64);

static RANGES: Table = Table::unknown();
static REPORT: Function<ReportFn> = Function::unknown();
static IS_INSIDE: Function<extern "C" fn() -> bool> = Function::unknown();

static FREE: Next<extern "C" fn(*mut c_void)> = Next::new(c"free");
static REALLOC: Next<extern "C" fn(*mut c_void, usize) -> *mut c_void> = Next::new(c"realloc");
static REALLOCARRAY: Next<extern "C" fn(*mut c_void, usize, usize) -> *mut c_void> =
    Next::new(c"reallocarray");
static MALLOC: Next<extern "C" fn(usize) -> *mut c_void> = Next::new(c"malloc");
static CALLOC: Next<extern "C" fn(usize, usize) -> *mut c_void> = Next::new(c"calloc");

#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

/// Finds libaclsan.so. Until then, and without it, every address is libc's.
extern "C" fn init() {
    // SAFETY: a pseudo-handle and a terminated name.
    let find = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let tell = find(c"aclsan_libc_release");
    let ranges: *mut Ranges = find(c"aclsan_ranges").cast();
    if tell.is_null() || ranges.is_null() {
        return;
    }
    REPORT.set(tell);
    IS_INSIDE.set(find(c"aclsan_is_inside"));
    host_pages::init(ranges, find);
    RANGES.set(ranges);
    if let Some(table) = RANGES.get() {
        table[6].store(chunks::address(), Relaxed);
        table[4].store(1, Relaxed);
    }
}

/// Whether the runtime's chunks are tracked.
#[inline(always)]
fn is_tracking() -> bool {
    RANGES
        .get()
        .is_some_and(|ranges| ranges[5].load(Relaxed) != 0)
}

/// Tracks a chunk that the runtime allocates while it works for the program: its own records, not pointers that the program keeps.
#[cold]
#[inline(never)]
fn track(chunk: *mut c_void, size: usize) {
    // An earlier chunk here may have been freed unseen: the C library's own releases do not pass through us.
    chunks::remove(chunk as u64);
    if !chunk.is_null() && IS_INSIDE.get().is_some_and(|is_inside| is_inside()) {
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
    let Some(next) = MALLOC.get() else {
        return std::ptr::null_mut();
    };
    let chunk = next(size);
    if is_tracking() {
        track(chunk, size);
    }
    chunk
}

/// `calloc`.
#[unsafe(export_name = "calloc")]
unsafe extern "C" fn calloc_entry(count: usize, size: usize) -> *mut c_void {
    let Some(next) = CALLOC.get() else {
        return std::ptr::null_mut();
    };
    let chunk = next(count, size);
    if is_tracking() {
        track(chunk, count.saturating_mul(size));
    }
    chunk
}

#[inline(always)]
fn is_watched(address: *mut c_void) -> bool {
    let Some(ranges) = RANGES.get() else {
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
    if let Some(report) = REPORT.get() {
        // `free` preserves `errno`.
        host_pages::keeping_errno(|| report(address, which, pc, sp, fp));
    }
}

/// `free`.
#[unsafe(export_name = "free")]
unsafe extern "C" fn free_entry(address: *mut c_void) {
    report!(address, 0);
    if is_tracking() {
        wipe(address);
    }
    if let Some(next) = FREE.get() {
        next(address);
    }
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
    report!(address, 1);
    let Some(next) = REALLOC.get() else {
        return std::ptr::null_mut();
    };
    let before = if is_tracking() {
        chunks::remove(address as u64)
    } else {
        None
    };
    let chunk = next(address, size);
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
    report!(address, 2);
    let Some(next) = REALLOCARRAY.get() else {
        return std::ptr::null_mut();
    };
    let before = if is_tracking() {
        chunks::remove(address as u64)
    } else {
        None
    };
    let chunk = next(address, count, size);
    update_moved(address, chunk, count.saturating_mul(size), before);
    chunk
}
