//! Finds libc symbols by reading its tables in memory. `dlsym` cannot be looked up with `dlsym`, since we export that
//! name.

use super::link_map::{self, DynamicTable};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

const DT_HASH: i64 = 4;
pub(super) const DT_STRTAB: i64 = 5;
pub(super) const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

/// The callback of `dl_iterate_phdr`.
pub type PhdrCallback = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
/// Type of `dl_iterate_phdr`.
type Iterate = unsafe extern "C" fn(Option<PhdrCallback>, *mut c_void) -> c_int;

/// Accepts or rejects a file by name, and then a definition in it.
type Fit<'a> = &'a dyn Fn(&[u8], Option<*const ()>) -> bool;

struct Wanted<'a> {
    name: &'a [u8],
    is_fit: Fit<'a>,
    found: *const (),
}

/// The address of libc's definition of `name`. Before glibc 2.34 it may be in libdl.
pub fn libc_symbol(name: &[u8]) -> Option<*const ()> {
    let is_of_libc = |file: &[u8]| {
        file.starts_with(b"libc.so") || file.starts_with(b"libc-2") || file.starts_with(b"libdl")
    };
    let mut libraries = link_map::all().peekable();
    if libraries.peek().is_none() {
        return search(libc::dl_iterate_phdr, name, &|file, _| is_of_libc(file));
    }
    libraries
        .filter(|library| is_of_libc(file_of(library.path())))
        .find_map(|library| symbol(library.bias, library.dynamic, name))
}

/// The first definition of `name` in load order that `is_fit` accepts, in any library.
pub fn find_symbol_anywhere(name: &[u8], is_fit: impl Fn(*const ()) -> bool) -> Option<*const ()> {
    search(real_iterate(), name, &|file, found| {
        // The vDSO has a name and no file; the program has a file and no name.
        !file.is_empty() && !file.starts_with(b"linux-vdso") && found.is_none_or(&is_fit)
    })
}

/// Calls `each` with `data` for each loaded module until it returns nonzero.
///
/// # Safety
/// `each` must accept `data`.
pub unsafe fn iterate(each: PhdrCallback, data: *mut c_void) {
    let real = real_iterate();
    // SAFETY: the callback has the type that the loader expects; the caller vouches for `data`.
    unsafe { real(Some(each), data) };
}

/// libc's own `dl_iterate_phdr`, bypassing libraries that interpose it.
fn real_iterate() -> Iterate {
    static REAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
    let mut real = REAL.load(Relaxed);
    if real.is_null() {
        let Some(found) = libc_symbol(b"dl_iterate_phdr") else {
            return libc::dl_iterate_phdr;
        };
        real = found.cast_mut();
        REAL.store(real, Relaxed);
    }
    // SAFETY: libc's definition, whose type its header gives.
    unsafe { std::mem::transmute::<*mut (), Iterate>(real) }
}

/// Calls `is_fit` with a file's name, and then with the definition found there.
fn search(iterate: Iterate, name: &[u8], is_fit: Fit) -> Option<*const ()> {
    let mut wanted = Wanted {
        name,
        is_fit,
        found: std::ptr::null(),
    };
    // SAFETY: the callback has the type that the loader expects, and `wanted` outlives the call.
    unsafe { iterate(Some(look), (&raw mut wanted).cast()) };
    (!wanted.found.is_null()).then_some(wanted.found)
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader passes an initialized structure.
    let info = unsafe { &*info };
    // SAFETY: `data` is what `search` passed.
    let wanted = unsafe { &mut *data.cast::<Wanted>() };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader's names are terminated strings.
    let file = file_of(unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes());
    if (wanted.is_fit)(file, None) {
        let dynamic = dynamic_of(info);
        let found = dynamic.and_then(|dynamic| symbol(info.dlpi_addr, dynamic, wanted.name));
        let found = found.filter(|&found| (wanted.is_fit)(file, Some(found)));
        wanted.found = found.unwrap_or(std::ptr::null());
    }
    c_int::from(!wanted.found.is_null())
}

fn file_of(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// The program headers of a module.
pub(super) fn headers(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    // SAFETY: the loader provides as many program headers as it says.
    unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
}

/// The dynamic table of a module.
pub(super) fn dynamic_of(info: &libc::dl_phdr_info) -> Option<*const DynamicTable> {
    let dynamic = headers(info)
        .iter()
        .find(|header| header.p_type == libc::PT_DYNAMIC)?;
    Some((info.dlpi_addr + dynamic.p_vaddr) as *const DynamicTable)
}

/// The address that an entry of a dynamic table has.
pub(super) fn address_in(bias: u64, dynamic: *const DynamicTable, tag: i64) -> Option<u64> {
    // glibc relocates these in place; other loaders leave them relative.
    let value = link_map::value(dynamic, tag)?;
    Some(if value < bias { value + bias } else { value })
}

fn symbol(bias: u64, dynamic: *const DynamicTable, name: &[u8]) -> Option<*const ()> {
    let entry = |tag: i64| address_in(bias, dynamic, tag);
    let (symbols, strings) = (entry(DT_SYMTAB)?, entry(DT_STRTAB)?);
    let count = entry(DT_GNU_HASH)
        .map(gnu_count)
        .or_else(|| entry(DT_HASH).map(|hash| half(hash + 4)))?;
    (0..u64::from(count))
        .map(|i| symbols + 24 * i)
        .find_map(|at| {
            let is_defined = half(at + 4) >> 16 != 0; // st_shndx, after st_name, st_info, st_other
            let value = word(at + 8);
            (is_defined && value != 0 && matches(strings + u64::from(half(at)), name))
                .then_some((bias + value) as *const ())
        })
}

/// Number of symbols that a GNU hash table covers: one more than the last of its last chain.
fn gnu_count(table: u64) -> u32 {
    let (buckets, first, bloom_words) = (half(table), half(table + 4), half(table + 8));
    let bucket_table = table + 16 + 8 * u64::from(bloom_words);
    let chains = bucket_table + 4 * u64::from(buckets);
    let mut last = (0..u64::from(buckets))
        .map(|i| half(bucket_table + 4 * i))
        .max()
        .unwrap_or(0);
    if last < first {
        return first;
    }
    while half(chains + 4 * u64::from(last - first)) & 1 == 0 {
        last += 1;
    }
    last + 1
}

fn matches(at: u64, name: &[u8]) -> bool {
    // SAFETY: the string table of a loaded library holds terminated strings.
    unsafe { CStr::from_ptr(at as *const _) }.to_bytes() == name
}

pub(super) fn word(at: u64) -> u64 {
    // SAFETY: inside the dynamic tables of a loaded library, which are aligned and readable.
    unsafe { (at as *const u64).read() }
}

pub(super) fn half(at: u64) -> u32 {
    // SAFETY: as in `word`.
    unsafe { (at as *const u32).read() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libc_own_symbols_are_found_and_others_are_not() {
        // SAFETY: a terminated name.
        let getpid = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"getpid".as_ptr()) };
        assert_eq!(libc_symbol(b"getpid"), Some(getpid.cast_const().cast()));
        assert!(libc_symbol(b"dlsym").is_some());
        assert_eq!(libc_symbol(b"no_such_function_at_all"), None);
    }
}
