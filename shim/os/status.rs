//! What every call looks at first: whether anything is to be done besides its work, or nothing any more.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What calls do besides their work: [`OFF`], [`SNAPSHOT_REQUESTED`], [`OUT_OF_MEMORY`]; mostly nothing.
pub static STATE: AtomicU8 = AtomicU8::new(0);
/// Something of ours panicked, or memory was short: from now on nothing is recorded, and what is not is counted.
pub const OFF: u8 = 1;
/// A snapshot was asked for.
pub const SNAPSHOT_REQUESTED: u8 = 2;
/// The user is to be told that memory was short.
pub const OUT_OF_MEMORY: u8 = 4;

/// There was no memory for what we keep. Called by the allocator: sets an atomic and does nothing else.
pub fn report_out_of_memory() {
    if STATE.load(Relaxed) & OFF == 0 {
        STATE.fetch_or(OFF | OUT_OF_MEMORY, Relaxed);
    }
}

/// Has the next call take a snapshot. For signal handlers: sets an atomic and does nothing else.
pub fn request_snapshot() {
    STATE.fetch_or(SNAPSHOT_REQUESTED, Relaxed);
}

/// The snapshot is being taken.
pub fn begin_snapshot() {
    STATE.fetch_and(!SNAPSHOT_REQUESTED, Relaxed);
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::{
    OUT_OF_MEMORY as SHORT, SNAPSHOT_REQUESTED as DUE, report_out_of_memory as memory_is_short,
    request_snapshot as ask_for_snapshot,
};
