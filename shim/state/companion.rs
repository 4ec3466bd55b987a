//! State shared with the companion library, libaclsan_free.so (options `libc_free`, `leak_scan`, `host_access`): which addresses it reports
//! when libc is given them.
//!
//! Two address ranges are published, one of device and one of host memory. They only grow while AscendCL is in use. Nothing outside them is
//! ours, so the companion need not ask.

use aclsan_options::Options;
use aclsan_os::host_pages;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// In order: start and end of device memory, start and end of host memory, whether libaclsan_free.so is loaded, whether it is to track the
/// runtime's chunks, the address of its table of chunks; whether accesses to host memory are watched, and where the bounds of the pages are
/// that are protected. `shim/companion/lib.rs` relies on this layout.
#[used]
#[cfg_attr(not(test), unsafe(export_name = "aclsan_ranges"))]
static RANGES: [AtomicU64; 10] = [
    AtomicU64::new(u64::MAX),
    AtomicU64::new(0),
    AtomicU64::new(u64::MAX),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
];

/// Whether libaclsan_free.so is loaded.
pub fn is_loaded() -> bool {
    RANGES[4].load(Relaxed) != 0
}

/// Makes the companion track, from now on, which chunks of libc's heap belong to the runtime.
pub fn track_runtime_chunks() {
    RANGES[5].store(1, Relaxed);
}

/// Makes the companion report buffers on protected pages that libc is given, and the program's signal actions.
pub fn watch_host_access() {
    let (low, high) = host_pages::bounds();
    RANGES[8].store(std::ptr::from_ref(low) as u64, Relaxed);
    RANGES[9].store(std::ptr::from_ref(high) as u64, Relaxed);
    RANGES[7].store(1, Relaxed);
}

/// Length of the companion's table: this many chunk starts, followed by as many sizes.
const CHUNKS: usize = 1 << 18;

/// Start and end of each chunk of libc's heap that the runtime allocated for itself.
pub fn runtime_chunks() -> Vec<(u64, u64)> {
    let table = RANGES[6].load(Relaxed) as *const [[AtomicU64; CHUNKS]; 2];
    // SAFETY: null, or the table of libaclsan_free.so, which is never unloaded and has this layout.
    let Some([starts, sizes]) = (unsafe { table.as_ref() }) else {
        return Vec::new();
    };
    let chunks = starts.iter().zip(sizes).map(|(start, size)| {
        let start = start.load(Relaxed);
        (start, start.saturating_add(size.load(Relaxed)))
    });
    chunks.filter(|&(start, _)| start > 1).collect()
}

/// Makes the companion report `size` bytes at `address` when libc is given them. Also used for host memory that is not a block, such as
/// memory that the program registers.
#[inline(always)]
pub fn watch_range(options: &Options, is_host: bool, address: u64, size: u64) {
    if options.libc_free && is_loaded() {
        let first = if is_host { 2 } else { 0 };
        RANGES[first].fetch_min(address, Relaxed);
        RANGES[first + 1].fetch_max(address.saturating_add(size.max(1)), Relaxed);
    }
}

/// Stops watching host memory: after `aclFinalize` anyone may own the runtime's.
pub fn forget_host_range() {
    RANGES[3].store(0, Relaxed);
    RANGES[2].store(u64::MAX, Relaxed);
}
