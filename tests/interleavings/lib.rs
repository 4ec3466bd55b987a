//! The shim's shared structures as they are, file by file, on the atomics and locks of `loom`: `checks` runs them in every order.
//!
//! `sync` stands for `shim/sync.rs`; all else is the shim's, but for its unit tests, which are not made for these.
//! Tables are as small as they can be and still have every level.

// What the checks do not use, the shim does; and where the shim's memory of zeros needs care, ours does not.
#![allow(dead_code, unused_unsafe)]

#[cfg(not(test))]
#[path = "../../shim/sites.rs"]
pub mod sites;

/// As the shim has it.
#[cfg(not(test))]
#[path = "../../shim/live"]
pub mod live {
    pub mod starts;

    /// A hint to the processor.
    pub fn prefetch(_: *const u8) {}
}

/// As the shim has it.
#[cfg(not(test))]
#[path = "../../shim/sink"]
pub mod sink {
    pub mod pool;
}

/// In place of the shim's.
#[cfg(not(test))]
pub mod sync {
    pub use loom::sync::{Mutex, atomic};
    pub use std::sync::PoisonError;

    /// A word of bits to a region.
    pub const REGION_BITS: u32 = 10;
    /// A word of regions to a part.
    pub const PART_BITS: u32 = 16;
    /// Two parts.
    pub const ADDRESS_BITS: u32 = 17;
    /// So few that the second region needs another room.
    pub const REGIONS_OF_ROOM: usize = 1;
    /// So few that the second site makes it grow.
    pub const FIRST_SLOTS: usize = 2;

    /// Made, since the checker's atomics are more than their bytes.
    pub fn zeroed<T>(zero: fn() -> T) -> *mut T {
        Box::into_raw(Box::new(zero()))
    }
}
