//! Loaded modules: for walking stacks now, and for the log, whose symbols are looked up much later.
//!
//! The loader counts loads and unloads, and the list is read again when a count has changed. The loader is never asked
//! while a lock of ours is held: a thread in `dlopen` holds the loader's lock and may call a hook from a constructor.

pub mod at_fork;
mod module;

pub use module::Module;

use crate::rule_cache;
use aclsan_os::loader::elf;
use aclsan_os::lock::{Mutex, rank};
use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

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
pub struct Modules(Mutex<rank::Modules, ModuleList>);

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
        let known = self.0.lock();
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
        if self.0.lock().counts == counts {
            return counts;
        }
        let now = scan();
        let mut known = self.0.lock();
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
        self.0.lock().clone()
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

/// The file name of the module that `address` is in.
pub fn file_of(address: u64) -> Option<String> {
    let mut modules = scan().list.into_iter();
    let found = modules.find(|module| (module.range.0..module.range.1).contains(&address))?;
    found.path.rsplit('/').next().map(str::to_owned)
}

/// Drops what was learned about addresses.
pub fn forget() {
    rule_cache::clear();
    UNLOAD_COUNT.fetch_add(1, Relaxed);
}

/// Held while the loader's list is read. It is taken before a fork: a child forked while another thread held the
/// loader's own lock could never read the list again.
pub static LOADER_LIST_LOCK: Mutex<rank::LoaderList, ()> = Mutex::new(());

/// Calls `each` with `data` for each loaded module.
fn iterate(each: elf::PhdrCallback, data: *mut c_void) {
    let _reading = LOADER_LIST_LOCK.lock();
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
        known.list.extend(module::of(info).map(Arc::new));
        0
    }
    let mut known = ModuleList::default();
    iterate(each, (&raw mut known).cast());
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_code_is_in_a_module_with_unwind_tables() {
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
