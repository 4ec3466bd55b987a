//! The atomics, locks and sizes of the shared structures, in one place. Under `cfg(loom)`, which `tests/interleavings`
//! sets, they are loom's, which tries every order of steps; the structures are then as small as they can be and still
//! have every level.

#[cfg(not(loom))]
pub use aclsan_os::lock::Mutex;
pub use aclsan_os::lock::rank;
#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(not(loom))]
pub use std::sync::atomic;

/// loom's mutex in the form of ours.
#[cfg(loom)]
pub struct Mutex<R, T>(loom::sync::Mutex<T>, std::marker::PhantomData<fn() -> R>);

#[cfg(loom)]
impl<R, T> Mutex<R, T> {
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value), std::marker::PhantomData)
    }

    pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Lets the holder of a lock go on; `round` counts how often the caller has done so.
#[cfg(not(loom))]
pub fn wait(round: u32) {
    use std::time::Duration;
    match round {
        0..64 => std::hint::spin_loop(),
        64..96 => std::thread::yield_now(),
        _ => std::thread::sleep(Duration::from_micros(u64::from(round.min(1_000)))),
    }
}

/// Lets another thread of the model run.
#[cfg(loom)]
pub fn wait(_round: u32) {
    loom::thread::yield_now();
}

/// How [`StartIndex`](crate::live::start_index::StartIndex) splits an address: the lowest bits select a granule in a
/// region, then a region in a part, then a part. Under loom a region is one word of bits, a part one word of regions,
/// and there are two parts.
pub const LEVEL1_BITS: u32 = if cfg!(loom) { 10 } else { 16 };
pub const LEVEL2_BITS: u32 = if cfg!(loom) { 16 } else { 32 };
pub const ADDRESS_BITS: u32 = if cfg!(loom) { 17 } else { 48 };
/// Bitmaps allocated at once. Under loom the second region needs another slab.
pub const BITMAPS_PER_SLAB: usize = if cfg!(loom) { 1 } else { 32 };

/// Slots of the first table of [`CallSiteInterner`](crate::call_sites::CallSiteInterner). Under loom the second site
/// makes it grow.
pub const FIRST_SLOTS: usize = if cfg!(loom) { 2 } else { 1 << 12 };

/// Allocates zeroed memory for a value without building it, since it may be larger than a stack. Never freed, except
/// through its `Box`.
///
/// # Safety
/// The all-zero bytes must be a valid value, the one that `_zero` returns, and its size must not be 0.
#[cfg(not(loom))]
pub unsafe fn zeroed<T>(_zero: fn() -> T) -> *mut T {
    use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
    let layout = Layout::new::<T>();
    // SAFETY: the caller promises a nonzero size.
    let fresh: *mut T = unsafe { alloc_zeroed(layout) }.cast();
    if fresh.is_null() {
        handle_alloc_error(layout);
    }
    fresh
}

/// Builds the value, since loom's atomics are more than their bytes.
///
/// # Safety
/// None is needed.
#[cfg(loom)]
pub unsafe fn zeroed<T>(zero: fn() -> T) -> *mut T {
    Box::into_raw(Box::new(zero()))
}
