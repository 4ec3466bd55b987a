//! The next definitions: libc's, or those of an allocator or a tool that comes before it.
//!
//! Read from the tables of the loaded objects. `dlsym` would free, allocate and change what `dlerror` answers, from inside functions that the
//! loader itself calls: in a `realloc` that `dlerror` makes, `dlsym` frees the very chunk.

use aclsan_os::loader::{elf, link_map};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

unsafe extern "C" {
    /// This library's dynamic table; the linker defines it.
    #[link_name = "_DYNAMIC"]
    static OWN_TABLE: link_map::DynamicTable;
}

/// A function found at run time. `F` is its type, a safe pointer: who calls it passes the caller's own arguments, or what any call may be given.
pub struct Function<F> {
    address: AtomicPtr<c_void>,
    of: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    pub const fn unknown() -> Self {
        Self {
            address: AtomicPtr::new(std::ptr::null_mut()),
            of: PhantomData,
        }
    }

    pub fn set(&self, address: *mut c_void) {
        self.address.store(address, Relaxed);
    }

    #[inline(always)]
    pub fn get(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let address = self.address.load(Relaxed);
        // SAFETY: not null, and a function of this type: its name says which.
        (!address.is_null())
            .then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }
}

/// The next definition of a function that this library exports.
pub struct Next<F> {
    name: &'static CStr,
    definition: Function<F>,
}

impl<F: Copy> Next<F> {
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            definition: Function::unknown(),
        }
    }

    /// `None` if there is none: older libcs lack some.
    #[inline(always)]
    pub fn get(&self) -> Option<F> {
        self.definition.get().or_else(|| self.find())
    }

    #[cold]
    #[inline(never)]
    fn find(&self) -> Option<F> {
        let found = elf::next_definition(&raw const OWN_TABLE, self.name.to_bytes());
        self.definition.set(found?.cast_mut().cast());
        self.definition.get()
    }
}
