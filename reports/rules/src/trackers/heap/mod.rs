//! The live blocks of one process, rebuilt from its events.
//!
//! Blocks are found by id (what a recorded release names) and by address (what a copy or an unrecognized release
//! names). A freed block stays known, up to [`MAX_FREED`] of them, until another block takes its memory: that is how a
//! second release is distinguished from an unknown pointer. Memory is bounded by live blocks, never by events.
//!
//! Limitation: releases that were not recorded. Such a block counts as live until another is allocated over it, and
//! then disappears without an end of its own ([`Heap::allocate`] returns it).

mod address_index;
mod device_refcount;
mod fast_path;
mod freed_queue;
mod hint;
mod id_index;
mod live_block;
mod model;
mod prefetch;
mod sample;
mod slot;
mod slots;
mod start_lookup;
#[cfg(test)]
mod tests;

pub use device_refcount::DeviceRefcount;
pub use freed_queue::MAX_FREED;
pub use hint::{LOOKAHEAD, PrefetchHint};
pub use live_block::LiveBlock;
pub use model::Heap;
pub use start_lookup::NamedBlock;
