//! The output argument of an allocation: where the program wants the address written.

use std::ffi::c_void;
use std::ptr::NonNull;

/// A pointer that the program passed to receive an address. Its creator vouches for it, so holders can use it without
/// unsafe code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutPtr(Option<NonNull<*mut c_void>>);

impl OutPtr {
    /// Wraps the program's argument, which may be null.
    ///
    /// # Safety
    /// Unless null, the pointer must stay valid for reads and writes while the value is used, as the prototype of the
    /// hooked call promises.
    #[inline(always)]
    pub const unsafe fn new(argument: *mut *mut c_void) -> Self {
        Self(NonNull::new(argument))
    }

    /// Whether the program passed null.
    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.0.is_none()
    }

    /// The address stored there; 0 if the program passed null.
    #[inline(always)]
    pub fn read(self) -> u64 {
        // SAFETY: readable, as the creator promised.
        self.0
            .map_or(0, |place| unsafe { place.as_ptr().read() } as u64)
    }

    /// Stores `address`; does nothing if the program passed null.
    #[inline(always)]
    pub fn write(self, address: u64) {
        if let Some(place) = self.0 {
            // SAFETY: writable, as the creator promised.
            unsafe { place.as_ptr().write(address as *mut c_void) };
        }
    }

    /// The address of the output itself; 0 for null.
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.0.map_or(0, |place| place.as_ptr() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_address_is_read_back_and_null_is_left_alone() {
        let mut place = std::ptr::null_mut();
        // SAFETY: a local variable that outlives the value.
        let out = unsafe { OutPtr::new(&raw mut place) };
        out.write(64);
        assert_eq!((out.read(), place as u64), (64, 64));
        assert_eq!(out.address(), &raw const place as u64);
        // SAFETY: null.
        let none = unsafe { OutPtr::new(std::ptr::null_mut()) };
        none.write(64);
        assert!(none.is_null() && none.read() == 0 && !out.is_null());
    }
}
