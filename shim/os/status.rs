//! What every call looks at first: whether anything is to be done besides its work, or nothing any more.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What calls do besides their work: [`OFF`], [`DUE`], [`SHORT`]; mostly nothing.
pub static STATE: AtomicU8 = AtomicU8::new(0);
/// Something of ours panicked, or memory was short: from now on nothing is recorded, and what is not is counted.
pub const OFF: u8 = 1;
/// A snapshot was asked for.
pub const DUE: u8 = 2;
/// The user is to be told that memory was short.
pub const SHORT: u8 = 4;

/// There was no memory for what we keep. Called by the allocator: sets an atomic and does nothing else.
pub fn memory_is_short() {
    if STATE.load(Relaxed) & OFF == 0 {
        STATE.fetch_or(OFF | SHORT, Relaxed);
    }
}

/// Has the next call take a snapshot. For signal handlers: sets an atomic and does nothing else.
pub fn ask_for_snapshot() {
    STATE.fetch_or(DUE, Relaxed);
}

/// The snapshot is being taken.
pub fn begin_snapshot() {
    STATE.fetch_and(!DUE, Relaxed);
}
