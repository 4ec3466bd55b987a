//! The structures that threads share without a lock of std's around them: live blocks, call sites, free segments.
//!
//! They know addresses, sizes and families, and no function. `tests/interleavings` runs them on loom's atomics, in every order of steps.

pub mod call_sites;
pub mod live;
pub mod segment_pool;
pub mod sync;
