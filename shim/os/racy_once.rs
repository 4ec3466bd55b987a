//! A value that is made when it is first asked for, without a lock: a child that was forked while another thread made it makes it anew,
//! where a `OnceLock` would have it wait for ever. Threads that ask at once may each make one; one of them stays.

use std::sync::atomic::{AtomicPtr, Ordering::*};

/// The value, once it is made; never freed.
pub struct Made<T: 'static>(AtomicPtr<T>);

impl<T: Sync> Made<T> {
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The value, if anybody has asked for it.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or from `get_or_make`, which never frees what it has published.
        unsafe { self.0.load(Acquire).as_ref() }
    }

    /// The value, made by `make` if nobody has.
    #[inline]
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &'static T {
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
                // SAFETY: ours alone: another thread's was published instead.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        };
        // SAFETY: published, and never freed.
        unsafe { &*place }
    }
}

impl<T: Sync> Default for Made<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_first_stays() {
        static NUMBER: Made<u32> = Made::new();
        assert_eq!(NUMBER.get(), None);
        assert_eq!(*NUMBER.get_or_make(|| 1), 1);
        assert_eq!(*NUMBER.get_or_make(|| 2), 1);
        // What a thread made at the same time, and too late, is dropped.
        assert_eq!((*NUMBER.publish(3), NUMBER.get()), (1, Some(&1)));
    }
}
