//! Where the program wants an address to be put: the first argument of an allocation.

use std::ffi::c_void;
use std::ptr::NonNull;

/// A pointer that the program passed for an address to be written to. Whoever makes one answers for it, so that who has one can use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutPtr(Option<NonNull<*mut c_void>>);

impl OutPtr {
    /// A null pointer.
    pub const NULL: Self = Self(None);

    /// The program's own argument, which may be null.
    ///
    /// # Safety
    /// Unless it is null, an address can be read from there and written there as long as the value is used, as the prototype of the call
    /// promises.
    #[inline(always)]
    pub const unsafe fn new(argument: *mut *mut c_void) -> Self {
        Self(NonNull::new(argument))
    }

    /// Whether the program passed null.
    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.0.is_none()
    }

    /// The address that stands there; 0 where the program passed null.
    #[inline(always)]
    pub fn read(self) -> u64 {
        // SAFETY: readable, as who made this has promised.
        self.0
            .map_or(0, |place| unsafe { place.as_ptr().read() } as u64)
    }

    /// Puts `address` there; nowhere where the program passed null.
    #[inline(always)]
    pub fn write(self, address: u64) {
        if let Some(place) = self.0 {
            // SAFETY: writable, as who made this has promised.
            unsafe { place.as_ptr().write(address as *mut c_void) };
        }
    }

    /// The address of the place itself; 0 for null.
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.0.map_or(0, |place| place.as_ptr() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_null_is_left_alone() {
        let mut place = std::ptr::null_mut();
        // SAFETY: our own variable, which outlives it.
        let out = unsafe { OutPtr::new(&raw mut place) };
        out.write(64);
        assert_eq!((out.read(), place as u64), (64, 64));
        assert_eq!(out.address(), &raw const place as u64);
        let none = OutPtr::NULL;
        none.write(64);
        assert!(none.is_null() && none.read() == 0 && !out.is_null());
    }
}
