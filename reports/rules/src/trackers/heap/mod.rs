//! The live blocks of one process, rebuilt from its events.
//!
//! Blocks are found by number (what a recorded release names) and by address (what a copy or an unrecognised release names). A block
//! that ended stays known, up to [`MAX_FREED`] of them, until another block takes its memory: that is what tells a second release
//! from a pointer that nobody knows. Memory is bounded by live blocks, never by events.
//!
//! What it cannot see: a release that was not recorded. The block counts as live until another is allocated over it; it then goes
//! without an end of its own ([`Heap::allocate`] hands it out).

mod address_index;
mod device_refcount;
mod fast_path;
mod freed_queue;
mod hint;
mod id_index;
mod live_block;
mod model;
mod prefetch;
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
