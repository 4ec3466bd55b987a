//! The next definitions: libc's, or those of an allocator or a tool that comes before it.
//!
//! Read from the tables of the loaded objects. `dlsym` would free, allocate and change what `dlerror` answers, from inside functions that the
//! loader itself calls: in a `realloc` that `dlerror` makes, `dlsym` frees the very chunk.

use aclsan_os::loader::{elf, link_map};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

unsafe extern "C" {
    /// This library's dynamic table; the linker defines it.
    #[link_name = "_DYNAMIC"]
    static OWN_TABLE: link_map::DynamicTable;
}

/// The next definition of a function that this library exports.
pub struct Next {
    name: &'static CStr,
    definition: AtomicPtr<c_void>,
}

impl Next {
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            definition: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Null if there is none: older libcs lack some.
    #[inline(always)]
    pub fn get(&self) -> *mut c_void {
        let known = self.definition.load(Relaxed);
        if known.is_null() { self.find() } else { known }
    }

    #[cold]
    #[inline(never)]
    fn find(&self) -> *mut c_void {
        let found = elf::next_definition(&raw const OWN_TABLE, self.name.to_bytes());
        let found = found.unwrap_or(std::ptr::null()).cast_mut().cast();
        self.definition.store(found, Relaxed);
        found
    }
}
