//! Finds libc symbols by reading its tables in memory. `dlsym` cannot be looked up with `dlsym`, since we export that
//! name.

use super::link_map::{self, DynamicTable};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

const DT_HASH: i64 = 4;
pub(super) const DT_STRTAB: i64 = 5;
pub(super) const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_VERSYM: i64 = 0x6fff_fff0;

/// The type of a symbol whose address a function of the object chooses.
const IFUNC: u32 = 10;
/// The type of a symbol whose value is an offset in the thread's block.
const THREAD_LOCAL: u32 = 6;
/// In a symbol's version: programs that name no version do not mean it.
const HIDDEN: u16 = 0x8000;

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

/// The offset of a variable in libc's block of each thread; `None` in other modules.
pub(super) fn offset_in_libc(info: &libc::dl_phdr_info, name: &[u8]) -> Option<u64> {
    // SAFETY: the loader's names are terminated strings.
    let file = file_of(unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes());
    let dynamic = dynamic_of(info).filter(|_| file.starts_with(b"libc.so"))?;
    symbol(info.dlpi_addr, dynamic, name).map(|at| at as u64 - info.dlpi_addr)
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

/// The first definition of `name` in the objects that the loader searches after the one with the table `own`, up to libc: what `dlsym` with
/// `RTLD_NEXT` finds, without a lock, an allocation, or a word to `dlerror`. `None` also for a definition that is chosen at run time (`IFUNC`).
pub fn next_definition(own: *const DynamicTable, name: &[u8]) -> Option<*const ()> {
    let mut objects = link_map::all().skip_while(|object| object.dynamic != own);
    objects.next()?;
    let mut is_past_libc = false;
    objects
        .filter(|object| {
            let file = file_of(object.path());
            // Before glibc 2.34, libpthread has some of libc's functions, and may come later. Other libraries after libc were opened privately.
            let is_searched = !is_past_libc || file.starts_with(b"libpthread");
            is_past_libc |= file.starts_with(b"libc.so") || file.starts_with(b"libc-2");
            is_searched
        })
        .find_map(|object| symbol(object.bias, object.dynamic, name))
}

/// The default version of an object's own definition of `name`.
fn symbol(bias: u64, dynamic: *const DynamicTable, name: &[u8]) -> Option<*const ()> {
    let entry = |tag: i64| address_in(bias, dynamic, tag);
    let (symbols, strings, versions) = (entry(DT_SYMTAB)?, entry(DT_STRTAB)?, entry(DT_VERSYM));
    let defined = |index: u64| {
        let at = symbols + 24 * index;
        // st_info and st_shndx, after st_name.
        let (kind, section, value) = (half(at + 4) & 0xf, half(at + 4) >> 16, word(at + 8));
        let is_default = versions.is_none_or(|table| quarter(table + 2 * index) & HIDDEN == 0);
        let is_address = value != 0 && kind != IFUNC || kind == THREAD_LOCAL;
        let is_fit = section != 0 && is_address && is_default;
        (is_fit && matches(strings + u64::from(half(at)), name))
            .then_some((bias + value) as *const ())
    };
    match entry(DT_GNU_HASH) {
        Some(table) => with_gnu_hash(table, name).find_map(defined),
        None => (0..u64::from(half(entry(DT_HASH)? + 4))).find_map(defined),
    }
}

/// The numbers of the symbols that have the hash of `name` in a GNU hash table.
fn with_gnu_hash(table: u64, name: &[u8]) -> impl Iterator<Item = u64> {
    let hash = name.iter().fold(5381_u32, |hash, &byte| {
        hash.wrapping_mul(33).wrapping_add(byte.into())
    });
    let (buckets, first, bloom_words) = (half(table), half(table + 4), half(table + 8));
    let bucket_table = table + 16 + 8 * u64::from(bloom_words);
    let chains = bucket_table + 4 * u64::from(buckets);
    let start = match hash.checked_rem(buckets) {
        Some(bucket) => half(bucket_table + 4 * u64::from(bucket)),
        None => 0,
    };
    let mut next = (start >= first && start != 0).then_some(start);
    std::iter::from_fn(move || {
        let index = next?;
        let found = half(chains + 4 * u64::from(index - first));
        next = (found & 1 == 0).then_some(index + 1);
        Some((found | 1 == hash | 1).then_some(u64::from(index)))
    })
    .flatten()
}

fn matches(at: u64, name: &[u8]) -> bool {
    // SAFETY: the string table of a loaded library holds terminated strings.
    unsafe { CStr::from_ptr(at as *const _) }.to_bytes() == name
}

pub(super) fn word(at: u64) -> u64 {
    // SAFETY: inside the dynamic tables of a loaded library, which are aligned and readable.
    unsafe { (at as *const u64).read() }
}

fn quarter(at: u64) -> u16 {
    // SAFETY: as in `word`.
    unsafe { (at as *const u16).read() }
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

    #[test]
    fn the_next_definition_is_the_one_that_the_loader_gives() {
        let program = link_map::all().next().expect("the program").dynamic;
        for name in [c"malloc", c"read", c"sigaction", c"syscall", c"pread64"] {
            // SAFETY: a terminated name.
            let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
            assert_eq!(
                next_definition(program, name.to_bytes()),
                Some(next.cast_const().cast()),
                "{name:?}"
            );
        }
        assert_eq!(next_definition(program, b"no_such_function_at_all"), None);
        assert_eq!(next_definition(std::ptr::null(), b"malloc"), None);
    }
}
