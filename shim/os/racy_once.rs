//! A lock-free lazy value. Racing threads may each build one; the first to publish wins. A child forked during
//! initialization builds its own, where `OnceLock` would block forever.

use std::sync::atomic::{AtomicPtr, Ordering::*};

/// The value once built; never freed.
pub struct RacyOnce<T: 'static>(AtomicPtr<T>);

impl<T: Sync> RacyOnce<T> {
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The value, if already built.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or from `get_or_init`, which never frees what it published.
        unsafe { self.0.load(Acquire).as_ref() }
    }

    /// The value; builds it with `make` if nobody has.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &'static T {
        match self.get() {
            Some(made) => made,
            None => self.publish(make()),
        }
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
                // SAFETY: not published and owned here, as another thread's was.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_published_stays() {
        static NUMBER: RacyOnce<u32> = RacyOnce::new();
        assert_eq!(NUMBER.get(), None);
        assert_eq!(*NUMBER.get_or_init(|| 1), 1);
        assert_eq!(*NUMBER.get_or_init(|| 2), 1);
        // A value that another thread builds too late is dropped.
        assert_eq!((*NUMBER.publish(3), NUMBER.get()), (1, Some(&1)));
    }
}
