//! What threads share without a lock of the standard library's around it, and how large it is, from one place: under `cfg(loom)`, which
//! `tests/interleavings` sets, a checker puts its own atomics and locks here and tries every order of steps. Tables are then as small as
//! they can be and still have every level.

#[cfg(loom)]
pub use loom::sync::{Mutex, atomic};
#[cfg(not(loom))]
pub use std::sync::{Mutex, atomic};

pub use std::sync::PoisonError;

/// How the bits of an address are divided by [`StartIndex`](crate::live::start_index::Starts): those below choose a granule in a region, a
/// region in a part, a part. For the checker a word of bits to a region, a word of regions to a part, two parts.
pub const LEVEL1_BITS: u32 = if cfg!(loom) { 10 } else { 16 };
pub const LEVEL2_BITS: u32 = if cfg!(loom) { 16 } else { 32 };
pub const ADDRESS_BITS: u32 = if cfg!(loom) { 17 } else { 48 };
/// Regions that are made at once. For the checker so few that the second region needs another room.
pub const BITMAPS_PER_SLAB: usize = if cfg!(loom) { 1 } else { 32 };

/// Room of the first table of [`CallSiteInterner`](crate::call_sites::Sites). For the checker so few that the second site makes it grow.
pub const FIRST_SLOTS: usize = if cfg!(loom) { 2 } else { 1 << 12 };

/// New memory for what `_zero` makes, without making it: it may be larger than a stack. Never freed, unless by its `Box`.
///
/// # Safety
/// The bytes of what `_zero` makes are all zero, and there is at least one.
#[cfg(not(loom))]
pub unsafe fn zeroed<T>(_zero: fn() -> T) -> *mut T {
    use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
    let layout = Layout::new::<T>();
    // SAFETY: it has a size, says the caller.
    let fresh: *mut T = unsafe { alloc_zeroed(layout) }.cast();
    if fresh.is_null() {
        handle_alloc_error(layout);
    }
    fresh
}

/// RacyOnce, since the checker's atomics are more than their bytes.
///
/// # Safety
/// None is needed.
#[cfg(loom)]
pub unsafe fn zeroed<T>(zero: fn() -> T) -> *mut T {
    Box::into_raw(Box::new(zero()))
}
