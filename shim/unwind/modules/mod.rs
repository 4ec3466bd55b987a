//! Loaded modules: for walking stacks now, and for the log, whose symbols are looked up much later.
//!
//! The loader counts loads and unloads, and the list is read again when a count has changed. The loader is never asked
//! while a lock of ours is held: a thread in `dlopen` holds the loader's lock and may call a hook from a constructor.

pub mod at_fork;

use crate::rule_cache;
use aclsan_os::files;
use aclsan_os::loader::elf;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A loaded program or library.
#[derive(Debug)]
pub struct Module {
    /// Start and end address.
    pub range: (u64, u64),
    /// Address minus the file's own virtual address.
    pub bias: u64,
    /// The path as the loader knows it; for the program itself its real path.
    pub path: String,
    /// `NT_GNU_BUILD_ID`, or empty.
    pub build_id: Vec<u8>,
    /// `.eh_frame_hdr`, valid while the module is loaded.
    pub eh_frame_hdr: Option<&'static [u8]>,
    /// Readable segments.
    pub segments: Vec<(u64, u64)>,
}

/// Compares what the list itself holds: a module's bytes may be gone while the list still has it.
impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        let place = |module: &Self| {
            (
                module.range,
                module.bias,
                module.eh_frame_hdr.map(<[u8]>::as_ptr_range),
            )
        };
        place(self) == place(other) && self.path == other.path && self.build_id == other.build_id
    }
}

impl Module {
    /// The bytes from `address` to the end of its segment; `None` if no readable segment contains it.
    pub fn readable_from(&self, address: u64) -> Option<&'static [u8]> {
        let &(_, end) = self
            .segments
            .iter()
            .find(|&&(start, end)| (start..end).contains(&address))?;
        // SAFETY: the loader maps the segment readable while the module is loaded, and callers ask about modules whose
        // code is on the calling thread's stack.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, (end - address) as usize) })
    }
}

/// Number of unloads seen. What was learned about addresses before is void.
pub static UNLOAD_COUNT: AtomicU32 = AtomicU32::new(0);

/// Part of a stack's identity. It changes when code that is in recorded stacks is unloaded, since the same addresses
/// may then mean other code.
static STACK_EPOCH: AtomicU64 = AtomicU64::new(0);

/// Mix this into a stack's hash.
#[inline(always)]
pub fn stack_epoch() -> u64 {
    STACK_EPOCH.load(Relaxed)
}

/// The modules as last read, and the loader's counts at that time.
#[derive(Default)]
pub struct Modules(RwLock<ModuleList>);

/// A snapshot of the loader's list.
#[derive(Clone, Default)]
pub struct ModuleList {
    counts: LoadCounts,
    list: Vec<Arc<Module>>,
}

/// How many modules the loader has ever loaded and unloaded.
pub type LoadCounts = (u64, u64);

/// What the loader has done since the list was last read.
pub struct Change {
    /// Ranges of unloaded modules.
    pub unloaded: Vec<(u64, u64)>,
    /// New modules.
    pub loaded: Vec<Arc<Module>>,
}

impl Modules {
    /// The module that contained `address` when the list was last read.
    pub fn at(&self, address: u64) -> Option<Arc<Module>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known
            .list
            .iter()
            .find(|module| (module.range.0..module.range.1).contains(&address))
            .cloned()
    }

    /// Reads the list again if the loader's counts have changed, and returns them. `on_change` gets the difference and
    /// runs under the list's lock, so that definitions are written in load order.
    pub fn refresh(&self, on_change: impl FnOnce(&Change)) -> LoadCounts {
        let counts = counts();
        if self.0.read().unwrap_or_else(PoisonError::into_inner).counts == counts {
            return counts;
        }
        let now = scan();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if now.counts.0 <= known.counts.0 && now.counts.1 <= known.counts.1 {
            return known.counts; // Another thread has read the list since.
        }
        let gone = known
            .list
            .iter()
            .filter(|module| !now.list.contains(module));
        let come = now
            .list
            .iter()
            .filter(|module| !known.list.contains(module));
        let change = Change {
            unloaded: gone.map(|module| module.range).collect(),
            loaded: come.cloned().collect(),
        };
        *known = now;
        if !change.unloaded.is_empty() {
            forget();
        }
        on_change(&change);
        known.counts
    }

    /// The list as last read.
    pub fn known(&self) -> ModuleList {
        let known = self.0.read();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Call when code in recorded stacks was unloaded: from now on the same addresses give other stacks.
pub fn advance_stack_epoch() {
    STACK_EPOCH.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
}

/// The path of the first module whose file name begins with `name`.
pub fn path_of(name: &str) -> Option<CString> {
    let file = |path: &str| {
        path.rsplit('/')
            .next()
            .is_some_and(|file| file.starts_with(name))
    };
    let path = scan()
        .list
        .into_iter()
        .map(|module| module.path.clone())
        .find(|path| file(path))?;
    CString::new(path).ok()
}

/// The address range of the library that contains this code.
pub fn own_code() -> (u64, u64) {
    let here = own_code as *const () as u64;
    scan()
        .list
        .into_iter()
        .map(|module| module.range)
        .find(|range| (range.0..range.1).contains(&here))
        .unwrap_or((here, here + 1))
}

/// Its build ID in hex digits; empty if it was linked without one.
pub fn own_build_id() -> String {
    let here = own_code as *const () as u64;
    let own = scan()
        .list
        .into_iter()
        .find(|module| (module.range.0..module.range.1).contains(&here));
    let id = own.map_or_else(Vec::new, |module| module.build_id.clone());
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The address ranges of the modules whose file names satisfy `is_such`.
pub fn ranges_of(is_such: impl Fn(&str) -> bool) -> Vec<(u64, u64)> {
    let modules = scan().list.into_iter();
    let named = modules.filter(|module| is_such(module.path.rsplit('/').next().unwrap_or("")));
    named.map(|module| module.range).collect()
}

/// Drops what was learned about addresses.
pub fn forget() {
    rule_cache::clear();
    UNLOAD_COUNT.fetch_add(1, Relaxed);
}

/// Held while the loader's list is read. It is taken before a fork: a child forked while another thread held the
/// loader's own lock could never read the list again.
pub static LOADER_LIST_LOCK: Mutex<()> = Mutex::new(());

/// Calls `each` with `data` for each loaded module.
fn iterate(each: elf::PhdrCallback, data: *mut c_void) {
    let _reading = LOADER_LIST_LOCK
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `data` is what the callback expects, and outlives the call.
    unsafe { elf::iterate(each, data) };
}

fn counts() -> LoadCounts {
    if let Some(known) = at_fork::modules() {
        return known.counts;
    }
    unsafe extern "C" fn first(
        info: *mut libc::dl_phdr_info,
        _: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes an initialized structure; every glibc since 2.4 has the counts.
        let info = unsafe { &*info };
        // SAFETY: `data` is the variable that `counts` passed.
        let counts = unsafe { &mut *data.cast::<(u64, u64)>() };
        *counts = (info.dlpi_adds, info.dlpi_subs);
        1
    }
    let mut counts = (0u64, 0u64);
    iterate(first, (&raw mut counts).cast());
    counts
}

/// How many modules the loader has ever loaded.
pub fn loads() -> u64 {
    counts().0
}

fn scan() -> ModuleList {
    at_fork::modules().map_or_else(read, ModuleList::clone)
}

fn read() -> ModuleList {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the loader passes an initialized structure.
        let info = unsafe { &*info };
        // SAFETY: `data` is the list that `read` passed.
        let known = unsafe { &mut *data.cast::<ModuleList>() };
        known.counts = (info.dlpi_adds, info.dlpi_subs);
        known.list.extend(module(info).map(Arc::new));
        0
    }
    let mut known = ModuleList::default();
    iterate(each, (&raw mut known).cast());
    known
}

fn module(info: &libc::dl_phdr_info) -> Option<Module> {
    // SAFETY: the loader provides as many program headers as it says, mapped as long as the module is.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let bias = info.dlpi_addr;
    let extent = |header: &libc::Elf64_Phdr| {
        (
            bias + header.p_vaddr,
            bias + header.p_vaddr + header.p_memsz,
        )
    };
    let of = |kind: u32| headers.iter().filter(move |header| header.p_type == kind);
    let segments: Vec<_> = of(libc::PT_LOAD)
        .filter(|header| header.p_flags & libc::PF_R != 0)
        .map(extent)
        .collect();
    let loaded = || of(libc::PT_LOAD).map(extent);
    let range = (
        loaded().map(|(start, _)| start).min()?,
        loaded().map(|(_, end)| end).max()?,
    );
    let mut module = Module {
        range,
        bias,
        path: path(info, bias),
        build_id: Vec::new(),
        eh_frame_hdr: None,
        segments,
    };
    let part =
        |(start, end): (u64, u64)| module.readable_from(start)?.get(..(end - start) as usize);
    let eh_frame_hdr = of(libc::PT_GNU_EH_FRAME).map(extent).next().and_then(part);
    let build_id = of(libc::PT_NOTE)
        .map(extent)
        .filter_map(part)
        .find_map(build_id)
        .unwrap_or_default();
    module.eh_frame_hdr = eh_frame_hdr;
    module.build_id = build_id.to_vec();
    Some(module)
}

fn path(info: &libc::dl_phdr_info, _bias: u64) -> String {
    let name = if info.dlpi_name.is_null() {
        c""
    } else {
        // SAFETY: the loader's names are terminated strings that live as long as the module.
        unsafe { CStr::from_ptr(info.dlpi_name) }
    };
    if name.is_empty() {
        return match files::executable_path().to_string_lossy() {
            nothing if nothing.is_empty() => "/proc/self/exe".into(),
            program => program.into_owned(),
        };
    }
    name.to_string_lossy().into_owned()
}

/// Finds the build ID among the notes of a `PT_NOTE` segment: name size, description size, type, "GNU\0", the ID; each
/// padded to 4 bytes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let (head, rest) = notes.split_first_chunk::<12>()?;
        let word =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name_bytes, description_bytes) = (word(0) as usize, word(4) as usize);
        let (name, rest) = rest.split_at_checked(name_bytes.checked_next_multiple_of(4)?)?;
        let description = rest.get(..description_bytes)?;
        if word(8) == NT_GNU_BUILD_ID && name.starts_with(b"GNU\0") {
            return Some(description);
        }
        notes = rest.get(description_bytes.checked_next_multiple_of(4)?..)?;
    }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::{
    LOADER_LIST_LOCK as READING, ModuleList as Known, UNLOAD_COUNT as UNLOADED,
    advance_stack_epoch as move_salt, stack_epoch as salt,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_is_found_behind_another_note() {
        let notes = b"\x04\0\0\0\x05\0\0\0\x01\0\0\0GNU\0abcde\0\0\0\x04\0\0\0\x02\0\0\0\x03\0\0\0GNU\0\xab\xcd\0\0";
        assert_eq!(build_id(notes), Some(&b"\xab\xcd"[..]));
        assert_eq!(build_id(&notes[..40]), None);
    }

    #[test]
    fn this_very_code_lies_in_a_module_with_unwind_tables() {
        let here = this_address();
        let found = scan()
            .list
            .into_iter()
            .find(|module| (module.range.0..module.range.1).contains(&here))
            .unwrap();
        assert!(found.eh_frame_hdr.is_some() && found.path.starts_with('/'));
    }

    fn this_address() -> u64 {
        this_address as *const () as u64
    }
}
