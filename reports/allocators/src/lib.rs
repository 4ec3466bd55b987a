#![forbid(unsafe_code)]
//! Models of device-memory allocators: what each would have reserved for the same requests.
//!
//! A model keeps an allocator's books and nothing else: which block serves a request, what is split, merged, kept and returned to the
//! device. It promises the bytes that the original reports, and names the source and the versions that it was written from. It may not
//! touch memory, read a log, or know who asks.
//!
//! Modules, each of which imports only earlier ones: [`request`], [`device`], [`allocator`], the models ([`caching`], [`direct`],
//! [`stream_ordered`], [`first_fit`], [`buddy`], [`tlsf`]), [`replay`].

pub mod allocator;
pub mod buddy;
pub mod caching;
pub mod device;
pub mod direct;
pub mod first_fit;
mod ranges;
pub mod replay;
pub mod request;
pub mod stream_ordered;
pub mod tlsf;

/// 2^10 bytes.
pub const KIB: u64 = 1 << 10;
/// 2^20 bytes.
pub const MIB: u64 = 1 << 20;
/// 2^30 bytes.
pub const GIB: u64 = 1 << 30;
