//! Blocks that are given to libc: what libaclsan_free.so asks and tells, with the option `libc_free=1`.
//!
//! Published are two ranges of addresses, of device and of host memory, that only ever grow while AscendCL is in use: outside them is
//! nothing of ours, and the other library need not ask.

use crate::state::process::Process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// First and one past the last address of device memory, the same of host memory, whether libaclsan_free.so is there, and whether it is
/// to tell the runtime's chunks from the program's, and its table of them. The layout is known to `shim/companion/lib.rs`.
#[used]
#[cfg_attr(not(test), unsafe(export_name = "aclsan_ranges"))]
static RANGES: [AtomicU64; 7] = [
    AtomicU64::new(u64::MAX),
    AtomicU64::new(0),
    AtomicU64::new(u64::MAX),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
];

/// Whether libaclsan_free.so is loaded.
pub fn is_loaded() -> bool {
    RANGES[4].load(Relaxed) != 0
}

/// Lets it tell the runtime's chunks of libc's heap from the program's, from here on.
pub fn track_runtime_chunks() {
    RANGES[5].store(1, Relaxed);
}

/// As many words are starts of chunks in libaclsan_free.so's table, and as many behind them are sizes.
const CHUNKS: usize = 1 << 18;

/// Start and end of each chunk of libc's heap that the runtime made for itself.
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

/// From now on `size` bytes at `address` are looked at when libc is given them. Also for host memory that is no block, such as what the
/// program registers.
#[inline(always)]
pub fn watch_range(process: &Process, is_host: bool, address: u64, size: u64) {
    if process.options.libc_free && is_loaded() {
        let first = if is_host { 2 } else { 0 };
        RANGES[first].fetch_min(address, Relaxed);
        RANGES[first + 1].fetch_max(address.saturating_add(size.max(1)), Relaxed);
    }
}

/// After `aclFinalize` the runtime's host memory may be anybody's.
pub fn forget_host_range() {
    RANGES[3].store(0, Relaxed);
    RANGES[2].store(u64::MAX, Relaxed);
}
