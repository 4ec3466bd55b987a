//! Chunks of libc's heap that the runtime made for itself, and where they lie.
//!
//! Open addressing in static memory, a word for a start and a word for a size: no lock, which a fork could leave locked, and no allocation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Chunks that there is room for.
const ROOM: usize = 1 << 18;
/// Places that are looked at for a chunk. One that finds no room among them is not kept in mind.
const PROBES: usize = 64;
/// A place that was taken; searches go on behind it.
const LEFT: u64 = 1;

/// Starts, then sizes, by place. The same layout as in `shim/scan/ranges.rs`.
#[repr(C)]
struct Chunks {
    starts: [AtomicU64; ROOM],
    sizes: [AtomicU64; ROOM],
}

static CHUNKS: Chunks = Chunks {
    starts: [const { AtomicU64::new(0) }; ROOM],
    sizes: [const { AtomicU64::new(0) }; ROOM],
};

/// Where the table is.
pub fn address() -> u64 {
    &raw const CHUNKS as u64
}

fn places(start: u64) -> impl Iterator<Item = usize> {
    let first = (start >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..PROBES).map(move |step| (first as usize + step) % ROOM)
}

/// The runtime has made a chunk.
pub fn add(start: u64, size: u64) {
    for at in places(start) {
        let found = CHUNKS.starts[at].load(Relaxed);
        let place = &CHUNKS.starts[at];
        if found <= LEFT
            && place
                .compare_exchange(found, start, Relaxed, Relaxed)
                .is_ok()
        {
            CHUNKS.sizes[at].store(size, Relaxed);
            return;
        }
    }
}

/// The chunk goes; its size, if it was the runtime's.
pub fn remove(start: u64) -> Option<u64> {
    if start == 0 {
        return None;
    }
    for at in places(start) {
        match CHUNKS.starts[at].load(Relaxed) {
            0 => return None,
            found if found == start => {
                let size = CHUNKS.sizes[at].swap(0, Relaxed);
                CHUNKS.starts[at].store(LEFT, Relaxed);
                return Some(size);
            }
            _ => {}
        }
    }
    None
}
