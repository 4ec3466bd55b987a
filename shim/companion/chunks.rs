//! Chunks of libc's heap that the runtime allocated for itself.
//!
//! An open-addressing table in static memory, a word per start and a word per size: no lock, which a fork could leave locked, and no
//! allocation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Capacity of the table.
const CAPACITY: usize = 1 << 18;
/// Slots probed for a chunk. A chunk that finds none of them free is not tracked.
const MAX_PROBES: usize = 64;
/// A slot that was in use; lookups continue after it.
const TOMBSTONE: u64 = 1;

/// Starts, then sizes, by slot. `shim/state/companion.rs` has the same layout.
#[repr(C)]
struct Chunks {
    starts: [AtomicU64; CAPACITY],
    sizes: [AtomicU64; CAPACITY],
}

static CHUNKS: Chunks = Chunks {
    starts: [const { AtomicU64::new(0) }; CAPACITY],
    sizes: [const { AtomicU64::new(0) }; CAPACITY],
};

/// The address of the table.
pub fn address() -> u64 {
    &raw const CHUNKS as u64
}

fn slots(start: u64) -> impl Iterator<Item = usize> {
    let first = (start >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..MAX_PROBES).map(move |step| (first as usize + step) % CAPACITY)
}

/// Adds a chunk of the runtime.
pub fn add(start: u64, size: u64) {
    for at in slots(start) {
        let found = CHUNKS.starts[at].load(Relaxed);
        let place = &CHUNKS.starts[at];
        if found <= TOMBSTONE
            && place
                .compare_exchange(found, start, Relaxed, Relaxed)
                .is_ok()
        {
            CHUNKS.sizes[at].store(size, Relaxed);
            return;
        }
    }
}

/// Removes a chunk and returns its size, if it was the runtime's.
pub fn remove(start: u64) -> Option<u64> {
    if start == 0 {
        return None;
    }
    for at in slots(start) {
        match CHUNKS.starts[at].load(Relaxed) {
            0 => return None,
            found if found == start => {
                let size = CHUNKS.sizes[at].swap(0, Relaxed);
                CHUNKS.starts[at].store(TOMBSTONE, Relaxed);
                return Some(size);
            }
            _ => {}
        }
    }
    None
}
