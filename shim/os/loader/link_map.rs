//! The loader's list of loaded objects, found as debuggers find it: through the program's dynamic table.
//!
//! It calls no function that another library could interpose. ThreadSanitizer defines `dl_iterate_phdr` and looks
//! libc's up with `dlsym`, which is ours: calling its definition from there would call address 0, which it has not
//! resolved yet.
//!
//! The list is read without the loader's lock. Objects that the program was linked against come first and stay; behind
//! them another thread may be closing what is read. So use this only for objects that are there from the start, such as
//! libc.

use std::ffi::{CStr, c_char, c_int};

use libc::{Elf64_Addr, Elf64_Phdr};

const DT_NULL: i64 = 0;
const DT_DEBUG: i64 = 21;

/// `r_debug` of `link.h`, as far as it is read.
#[repr(C)]
struct Debug {
    version: c_int,
    first: *const LinkMapEntry,
}

/// `link_map` of the same header.
#[repr(C)]
pub struct LinkMapEntry {
    /// Added to the file's addresses.
    pub bias: Elf64_Addr,
    name: *const c_char,
    /// Its dynamic table.
    pub dynamic: *const DynamicTable,
    next: *const LinkMapEntry,
}

/// `Elf64_Dyn`.
#[repr(C)]
pub struct DynamicTable {
    tag: i64,
    value: u64,
}

impl LinkMapEntry {
    /// Its path as the loader knows it; empty for the program.
    pub fn path(&self) -> &[u8] {
        if self.name.is_null() {
            return b"";
        }
        // SAFETY: the loader's names are terminated strings.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }
}

/// Loaded objects in load order; empty if the program does not say where the list is.
pub fn all() -> impl Iterator<Item = &'static LinkMapEntry> {
    std::iter::successors(first(), |loaded| {
        // SAFETY: null, or the loader's next entry.
        unsafe { loaded.next.as_ref() }
    })
}

fn first() -> Option<&'static LinkMapEntry> {
    // SAFETY: takes no pointer; returns a number about this process.
    let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as *const Elf64_Phdr;
    if headers.is_null() {
        return None;
    }
    // SAFETY: as above.
    let count = unsafe { libc::getauxval(libc::AT_PHNUM) } as usize;
    // SAFETY: the kernel gives the address and number of the program's headers, which are mapped with the program.
    let headers = unsafe { std::slice::from_raw_parts(headers, count) };
    let of = |kind: u32| headers.iter().find(|header| header.p_type == kind);
    // A program at a fixed address need not say where its headers are.
    let bias =
        of(libc::PT_PHDR).map_or(0, |own| (headers.as_ptr() as u64).wrapping_sub(own.p_vaddr));
    let table = of(libc::PT_DYNAMIC)?.p_vaddr.wrapping_add(bias);
    let debug = value(table as *const DynamicTable, DT_DEBUG)? as *const Debug;
    // SAFETY: null until the loader fills it in, and then its own structure.
    let debug = unsafe { debug.as_ref() }?;
    // SAFETY: null, or the loader's entry for the program.
    unsafe { debug.first.as_ref() }
}

/// The value of an entry of an object's dynamic table; `None` if it has no such entry.
pub fn value(table: *const DynamicTable, tag: i64) -> Option<u64> {
    let mut at = table;
    loop {
        // SAFETY: inside the table, which ends with a `DT_NULL` entry.
        let entry = unsafe { at.as_ref() }?;
        match entry.tag {
            DT_NULL => return None,
            found if found == tag => return Some(entry.value),
            _ => at = at.wrapping_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_first_and_libc_is_there() {
        let paths: Vec<&[u8]> = all().map(LinkMapEntry::path).collect();
        assert_eq!(paths.first(), Some(&&b""[..]));
        assert!(paths.iter().any(|path| path.ends_with(b"libc.so.6")));
    }
}
