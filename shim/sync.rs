//! What threads share without a lock of the standard library's around it, and how large it is, from one place: in
//! `tests/scenarios/interleavings` a checker puts its own here, which tries every order of steps.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

pub use std::sync::atomic;
pub use std::sync::{Mutex, PoisonError};

/// How the bits of an address are divided by [`Starts`](crate::live::starts::Starts): those below choose a granule in a region, a region
/// in a part, a part.
pub const REGION_BITS: u32 = 16;
pub const PART_BITS: u32 = 32;
pub const ADDRESS_BITS: u32 = 48;
/// Regions that are made at once.
pub const REGIONS_OF_ROOM: usize = 32;

/// Room of the first table of [`Sites`](crate::sites::Sites).
pub const FIRST_SLOTS: usize = 1 << 12;

/// New memory for what `_zero` makes, without making it: it may be larger than a stack. Never freed, unless by its `Box`.
///
/// # Safety
/// The bytes of what `_zero` makes are all zero, and there is at least one.
pub unsafe fn zeroed<T>(_zero: fn() -> T) -> *mut T {
    let layout = Layout::new::<T>();
    // SAFETY: it has a size, says the caller.
    let fresh: *mut T = unsafe { alloc_zeroed(layout) }.cast();
    if fresh.is_null() {
        handle_alloc_error(layout);
    }
    fresh
}
