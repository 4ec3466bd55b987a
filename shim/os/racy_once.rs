//! A value that is made when it is first asked for, without a lock: a child that was forked while another thread made it makes it anew,
//! where a `OnceLock` would have it wait for ever. Threads that ask at once may each make one; one of them stays.

use std::sync::atomic::{AtomicPtr, Ordering::*};

/// The value, once it is made; never freed.
pub struct RacyOnce<T: 'static>(AtomicPtr<T>);

impl<T: Sync> RacyOnce<T> {
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The value, if anybody has asked for it.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or from `get_or_init`, which never frees what it has published.
        unsafe { self.0.load(Acquire).as_ref() }
    }

    /// The value, made by `make` if nobody has.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &'static T {
        match self.get() {
            Some(made) => made,
            None => self.publish(make()),
        }
    }

    // Old name, until its last use is gone.
    #[doc(hidden)]
    #[inline]
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &'static T {
        self.get_or_init(make)
    }

    #[cold]
    fn publish(&self, made: T) -> &'static T {
        let fresh = Box::into_raw(Box::new(made));
        let place = match self
            .0
            .compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire)
        {
            Ok(_) => fresh,
            Err(other) => {
                // SAFETY: ours alone: another thread's was published instead.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        };
        // SAFETY: published, and never freed.
        unsafe { &*place }
    }
}

impl<T: Sync> Default for RacyOnce<T> {
    fn default() -> Self {
        Self::new()
    }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::RacyOnce as Made;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_first_stays() {
        static NUMBER: RacyOnce<u32> = RacyOnce::new();
        assert_eq!(NUMBER.get(), None);
        assert_eq!(*NUMBER.get_or_init(|| 1), 1);
        assert_eq!(*NUMBER.get_or_init(|| 2), 1);
        // What a thread made at the same time, and too late, is dropped.
        assert_eq!((*NUMBER.publish(3), NUMBER.get()), (1, Some(&1)));
    }
}
