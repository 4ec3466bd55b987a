//! The structures that threads share without a lock of std's around them: live blocks ([`live`]), call sites
//! ([`call_sites`]), free segments ([`segment_pool`]); and the lock of the first ([`spin_lock`]).
//!
//! They know addresses, sizes and families, never functions. All atomics and locks come from [`sync`], so that
//! `tests/interleavings` can run them on loom's, in every order of steps.

pub mod call_sites;
pub mod live;
pub mod segment_pool;
pub mod spin_lock;
pub mod sync;
