//! The definition behind ours: what the loader would have called without us.
//!
//! Looked for when first needed, in this order: the next one in the loader's own search order; the one in a runtime library that is loaded
//! but not in the search order; the one that the program itself looked up in a library that it opened privately; and last, that of any
//! library: a plugin that was opened privately has its own scope, and brings a runtime of another name there.
//!
//! What a program looks up by a handle may be another definition than the one behind ours: another tool's, or a second runtime's. It has an
//! export of its own ([`Interceptor::with_dlsym_hook`]), so that each caller reaches what it would have reached without us.

use aclsan_os::errno::Errno;
use aclsan_os::loader::LOOKUPS;
use aclsan_os::loader::elf;
use aclsan_os::racy_once::Made;
use aclsan_unwind::modules;
use aclsan_unwind::modules::at_fork;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

pub use aclsan_os::loader::dlsym::{Dlclose, dlsym, keep_loaded, seen_from};
use aclsan_rules::Function;
use aclsan_rules::functions::FUNCTIONS;

/// Libraries that define the calls, by their names in CANN, public layers first.
const RUNTIMES: [&CStr; 11] = [
    c"libascendcl.so",
    c"libacl_rt.so",
    c"libacl_rt_impl.so",
    c"libruntime.so",
    c"libacl_dvpp.so",
    c"libacl_dvpp_mpi.so",
    c"libacl_op_compiler.so",
    c"libnnopbase.so",
    c"libhccl.so",
    c"libmatrixdaemon.so",
    c"libmatrix.so",
];

/// What the loader had done when something was not found: it need not be searched again before the loader has done more.
struct NegativeCache(AtomicU64);

impl NegativeCache {
    const NEVER: u64 = u64::MAX;

    const fn never() -> Self {
        Self(AtomicU64::new(Self::NEVER))
    }

    /// What `search` finds, if it may.
    fn retry_if_changed<T>(&self, search: impl FnOnce() -> Option<T>) -> Option<T> {
        let not_found = self.0.load(Relaxed);
        if not_found != Self::NEVER && at_fork::is() {
            return None;
        }
        let done = modules::loads().wrapping_add(LOOKUPS.load(Acquire));
        if not_found == done {
            return None;
        }
        let found = search();
        if found.is_none() {
            self.0.store(done, Relaxed);
        }
        found
    }
}

/// Where the definition behind one exported symbol of ours is kept. A row of the hooks has one, or, for what we call ourselves,
/// [`super::slots`] has it for both.
///
/// All that changes is in here, so that rows are constants.
pub struct Slot {
    symbol: &'static CStr,
    next: AtomicPtr<()>,
    /// What programs found by a handle.
    dlsym_next: AtomicPtr<()>,
    not_found: NegativeCache,
}

impl Slot {
    /// For that symbol.
    pub const fn new(symbol: &'static CStr) -> Self {
        Self {
            symbol,
            next: AtomicPtr::new(std::ptr::null_mut()),
            dlsym_next: AtomicPtr::new(std::ptr::null_mut()),
            not_found: NegativeCache::never(),
        }
    }

    /// The definition behind ours; `None` where no loaded library has one.
    #[inline(always)]
    pub fn next(&self) -> Option<*const ()> {
        self.next_in(&self.next)
    }

    #[inline(always)]
    fn next_in(&self, kept: &AtomicPtr<()>) -> Option<*const ()> {
        let mut next = kept.load(Relaxed).cast_const();
        if next.is_null() {
            next = self.search(kept);
        }
        (!next.is_null()).then_some(next)
    }

    #[cold]
    #[inline(never)]
    fn search(&self, kept: &AtomicPtr<()>) -> *const () {
        let _errno = Errno::keep();
        self.searched(kept).unwrap_or(std::ptr::null())
    }

    fn searched(&self, kept: &AtomicPtr<()>) -> Option<*const ()> {
        let known = || {
            let found = self.dlsym_next.load(Relaxed).cast_const();
            (!found.is_null()).then_some(found)
        };
        let found = self.not_found.retry_if_changed(|| {
            find(self.symbol)
                .filter(|&found| !is_own(found))
                .or_else(known)
                .or_else(|| elf::symbol_of_any(self.symbol.to_bytes(), |found| !is_own(found)))
        })?;
        set_next(kept, found.cast_mut());
        Some(found)
    }
}

/// Takes a definition, if none was known.
fn set_next(kept: &AtomicPtr<()>, definition: *mut ()) {
    if definition.is_null() || is_own(definition) {
        return;
    }
    let taken = kept.compare_exchange(std::ptr::null_mut(), definition, Relaxed, Relaxed);
    if taken.is_ok() {
        keep_loaded(definition);
    }
}

/// Whether `address` lies in this library.
fn is_own(address: *const ()) -> bool {
    static OWN: Made<(u64, u64)> = Made::new();
    let &(low, high) = OWN.get_or_make(modules::own_code);
    (low..high).contains(&(address as u64))
}

/// `name`, which ends with a NUL, for macros that put it together.
pub const fn terminated(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a symbol's name ends with its only NUL"),
    }
}

/// One exported hook. A constant: what changes is in its [`Slot`].
pub struct Interceptor {
    slot: &'static Slot,
    /// The word of the slot that this hook calls by.
    next: &'static AtomicPtr<()>,
    hook: *const (),
    function: &'static Function,
    number: u16,
    is_impl_alias: bool,
    /// The same call's hook for a definition that the program found by a handle.
    dlsym_hook: Option<&'static Interceptor>,
}

// SAFETY: `hook` is the address of a function, the same for all threads.
unsafe impl Sync for Interceptor {}

/// Of what has no definition behind it.
static NONE: Slot = Slot::new(c"");

impl Interceptor {
    /// A hook for the slot's symbol, of the known call number `number`.
    pub const fn new(slot: &'static Slot, hook: *const (), number: u16) -> Self {
        Self {
            slot,
            next: &slot.next,
            hook,
            function: &FUNCTIONS[number as usize],
            number,
            is_impl_alias: false,
            dlsym_hook: None,
        }
    }

    /// What is recorded as the known call number `number`, and forwards nothing.
    pub const fn unforwarded(number: u16) -> Self {
        Self::new(&NONE, std::ptr::null(), number)
    }

    /// The same, of the second name of a call.
    pub const fn as_impl_alias(self) -> Self {
        Self {
            is_impl_alias: true,
            ..self
        }
    }

    /// The same, for what programs find by a handle.
    pub const fn as_dlsym_hook(self) -> Self {
        Self {
            next: &self.slot.dlsym_next,
            ..self
        }
    }

    /// The same, with a hook for what programs find by a handle.
    pub const fn with_dlsym_hook(self, hook: &'static Self) -> Self {
        Self {
            dlsym_hook: Some(hook),
            ..self
        }
    }

    /// The symbol.
    pub fn name(&self) -> &'static str {
        self.slot.symbol.to_str().unwrap_or_default()
    }

    /// Our definition of it.
    pub fn hook(&self) -> *const () {
        self.hook
    }

    /// Whether `address` is our definition of it, by either way.
    pub fn is_own_hook(&self, address: *const ()) -> bool {
        let is_dlsym_hook = |row: &Self| std::ptr::eq(address, row.hook);
        std::ptr::eq(address, self.hook) || self.dlsym_hook.is_some_and(is_dlsym_hook)
    }

    /// The definition behind the one of our definitions that is at `address`; `None` if neither is.
    pub fn next_of(&self, address: *const ()) -> Option<*const ()> {
        let hooks = [Some(self), self.dlsym_hook];
        let hook = hooks
            .into_iter()
            .flatten()
            .find(|hook| std::ptr::eq(address, hook.hook))?;
        hook.next()
    }

    /// What the call does, and its index among the known calls.
    #[inline(always)]
    pub fn function(&self) -> (&'static Function, u16) {
        (self.function, self.number)
    }

    /// Whether it is the second name of a call: what the first one's definition forwards to.
    #[inline(always)]
    pub fn is_impl_alias(&self) -> bool {
        self.is_impl_alias
    }

    /// The definition behind ours; `None` where no loaded library has one.
    #[inline(always)]
    pub fn next(&self) -> Option<*const ()> {
        self.slot.next_in(self.next)
    }

    /// The hook for a caller that found `definition` by a handle; `None` when it is one of too many to be watched.
    pub fn hook_for_handle(&self, definition: *mut ()) -> Option<*const ()> {
        let in_order = dlsym(libc::RTLD_NEXT, self.slot.symbol);
        let row = match self.dlsym_hook {
            Some(hook) if !std::ptr::eq(in_order.cast(), definition) => hook,
            _ => self,
        };
        set_next(row.next, definition);
        let is_next = std::ptr::eq(row.next.load(Relaxed), definition);
        is_next.then_some(row.hook)
    }
}

/// A function of the runtime's that we call and do not hook.
pub struct RuntimeFn {
    symbol: &'static CStr,
    found: AtomicPtr<()>,
    not_found: NegativeCache,
}

impl RuntimeFn {
    /// The function of that name.
    pub const fn new(symbol: &'static CStr) -> Self {
        Self {
            symbol,
            found: AtomicPtr::new(std::ptr::null_mut()),
            not_found: NegativeCache::never(),
        }
    }

    /// Its definition; `None` where no loaded library has one.
    pub fn find(&self) -> Option<*const ()> {
        let mut found = self.found.load(Relaxed).cast_const();
        if found.is_null() {
            found = self.not_found.retry_if_changed(|| find(self.symbol))?;
            keep_loaded(found);
            self.found.store(found.cast_mut(), Relaxed);
        }
        Some(found)
    }
}

/// The runtime's definition of any symbol, ours left out.
fn find(symbol: &CStr) -> Option<*const ()> {
    let next = dlsym(libc::RTLD_NEXT, symbol);
    if !next.is_null() {
        return Some(next.cast_const().cast());
    }
    RUNTIMES.iter().find_map(|library| {
        // SAFETY: a terminated name; RTLD_NOLOAD loads nothing and runs no constructor.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return None;
        }
        // The reference that dlopen added is kept on purpose: what was found must stay loaded.
        let found = dlsym(handle, symbol);
        (!found.is_null()).then_some(found.cast_const().cast())
    })
}
