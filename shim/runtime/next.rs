//! Finds the next definition of a symbol: the one the loader would have called without the shim.
//!
//! The lookup happens on first use and tries, in order:
//! 1. the next definition in the loader's search order (`RTLD_NEXT`);
//! 2. a runtime library that is loaded but not in the search order;
//! 3. the definition that the program itself looked up in a library it opened with `RTLD_LOCAL`;
//! 4. any loaded library: a plugin opened with `RTLD_LOCAL` has its own scope and may bring a runtime of another name.
//!
//! A symbol looked up by handle may resolve to a different definition, such as another tool's or a second runtime's. It gets an export of
//! its own ([`Interceptor::with_dlsym_hook`]), so every caller reaches what it would have reached without the shim.

use aclsan_os::errno::ErrnoGuard;
use aclsan_os::loader::LOOKUPS;
use aclsan_os::loader::dlerror::DlerrorGuard;
use aclsan_os::loader::elf;
use aclsan_os::racy_once::RacyOnce;
use aclsan_unwind::modules;
use aclsan_unwind::modules::at_fork;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

pub use aclsan_os::loader::dlsym::{Dlclose, dlsym, keep_loaded, seen_from};
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::api::functions::Function;

/// Libraries that define the calls, by their CANN names, public layers first.
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

/// Remembers a failed lookup by the loader's load count, and skips further lookups until the count changes.
struct NegativeCache(AtomicU64);

impl NegativeCache {
    const NEVER: u64 = u64::MAX;

    const fn never() -> Self {
        Self(AtomicU64::new(Self::NEVER))
    }

    /// Runs `search`, unless the last one failed and nothing was loaded since. In a forked child a failed lookup is never repeated.
    fn retry_if_changed<T>(&self, search: impl FnOnce() -> Option<T>) -> Option<T> {
        let not_found = self.0.load(Relaxed);
        if not_found != Self::NEVER && at_fork::is_snapshot() {
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

/// Caches the next definition of one symbol. Each hook has a slot; a function that the shim calls itself has it in [`super::slots`].
///
/// Holds all mutable words of a hook, so that [`Interceptor`] is a constant the compiler can fold.
pub struct Slot {
    symbol: &'static CStr,
    next: AtomicPtr<()>,
    /// The definition that programs found by handle.
    dlsym_next: AtomicPtr<()>,
    not_found: NegativeCache,
}

impl Slot {
    /// A slot for `symbol`.
    pub const fn new(symbol: &'static CStr) -> Self {
        Self {
            symbol,
            next: AtomicPtr::new(std::ptr::null_mut()),
            dlsym_next: AtomicPtr::new(std::ptr::null_mut()),
            not_found: NegativeCache::never(),
        }
    }

    /// The next definition; `None` if no loaded library has one. The shim calls it by [`super::slots`] only.
    #[inline(always)]
    pub(super) fn next(&self) -> Option<*const ()> {
        self.next_in(&self.next)
    }

    #[inline(always)]
    fn next_in(&self, word: &AtomicPtr<()>) -> Option<*const ()> {
        let mut next = word.load(Relaxed).cast_const();
        if next.is_null() {
            next = self.search(word);
        }
        (!next.is_null()).then_some(next)
    }

    #[cold]
    #[inline(never)]
    fn search(&self, word: &AtomicPtr<()>) -> *const () {
        let _errno = ErrnoGuard::new();
        self.searched(word).unwrap_or(std::ptr::null())
    }

    fn searched(&self, word: &AtomicPtr<()>) -> Option<*const ()> {
        let known = || {
            let found = self.dlsym_next.load(Relaxed).cast_const();
            (!found.is_null()).then_some(found)
        };
        let found = self.not_found.retry_if_changed(|| {
            find(self.symbol)
                .filter(|&found| !is_own(found))
                .or_else(known)
                .or_else(|| {
                    elf::find_symbol_anywhere(self.symbol.to_bytes(), |found| !is_own(found))
                })
        })?;
        set_next(word, found.cast_mut());
        Some(found)
    }
}

/// Stores a definition if none is known yet, and keeps its library loaded.
fn set_next(word: &AtomicPtr<()>, definition: *mut ()) {
    if definition.is_null() || is_own(definition) {
        return;
    }
    let taken = word.compare_exchange(std::ptr::null_mut(), definition, Relaxed, Relaxed);
    if taken.is_ok() {
        keep_loaded(definition);
    }
}

/// Whether `address` is inside this library.
fn is_own(address: *const ()) -> bool {
    static OWN: RacyOnce<(u64, u64)> = RacyOnce::new();
    let &(low, high) = OWN.get_or_init(modules::own_code);
    (low..high).contains(&(address as u64))
}

/// Converts a NUL-terminated literal at compile time, for macros that concatenate names.
pub const fn terminated(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a symbol name must end with its only NUL"),
    }
}

/// One exported hook. A constant: the mutable words are in its [`Slot`].
pub struct Interceptor {
    slot: &'static Slot,
    /// The word of the slot that holds this hook's next definition.
    next: &'static AtomicPtr<()>,
    hook: *const (),
    function: &'static Function,
    number: u16,
    is_impl_alias: bool,
    /// The hook of the same call for definitions found by handle.
    dlsym_hook: Option<&'static Interceptor>,
}

// SAFETY: `hook` is the address of a function and never changes.
unsafe impl Sync for Interceptor {}

/// The slot of hooks that forward nothing.
static NONE: Slot = Slot::new(c"");

impl Interceptor {
    /// A hook for the slot's symbol; `number` is its index in `FUNCTIONS`.
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

    /// A call that is recorded under `number` and has no next definition.
    pub const fn unforwarded(number: u16) -> Self {
        Self::new(&NONE, std::ptr::null(), number)
    }

    /// Marks the hook of a call's `Impl` alias.
    pub const fn for_impl_alias(self) -> Self {
        Self {
            is_impl_alias: true,
            ..self
        }
    }

    /// Marks the hook for definitions found by handle.
    pub const fn for_dlsym(self) -> Self {
        Self {
            next: &self.slot.dlsym_next,
            ..self
        }
    }

    /// Adds the hook for definitions found by handle.
    pub const fn with_dlsym_hook(self, hook: &'static Self) -> Self {
        Self {
            dlsym_hook: Some(hook),
            ..self
        }
    }

    /// The symbol's name.
    pub fn name(&self) -> &'static str {
        self.slot.symbol.to_str().unwrap_or_default()
    }

    /// The address of the hook.
    pub fn hook(&self) -> *const () {
        self.hook
    }

    /// Whether `address` is one of the two hooks.
    pub fn is_own_hook(&self, address: *const ()) -> bool {
        let is_dlsym_hook = |row: &Self| std::ptr::eq(address, row.hook);
        std::ptr::eq(address, self.hook) || self.dlsym_hook.is_some_and(is_dlsym_hook)
    }

    /// The next definition of the hook at `address`; `None` if neither hook is there.
    pub fn next_of(&self, address: *const ()) -> Option<*const ()> {
        let hooks = [Some(self), self.dlsym_hook];
        let hook = hooks
            .into_iter()
            .flatten()
            .find(|hook| std::ptr::eq(address, hook.hook))?;
        hook.next()
    }

    /// What the call does, and its index in `FUNCTIONS`.
    #[inline(always)]
    pub fn function(&self) -> (&'static Function, u16) {
        (self.function, self.number)
    }

    /// Whether this is a call's `Impl` alias, which the runtime's public definition forwards to.
    #[inline(always)]
    pub fn is_impl_alias(&self) -> bool {
        self.is_impl_alias
    }

    /// The next definition; `None` if no loaded library has one.
    #[inline(always)]
    pub fn next(&self) -> Option<*const ()> {
        self.slot.next_in(self.next)
    }

    /// The hook for a caller that is bound to `definition`, where the loader has not put this library before it; `None` if both slots already
    /// hold other definitions.
    pub fn hook_for_bound(&self, definition: *mut ()) -> Option<*const ()> {
        [Some(self), self.dlsym_hook]
            .into_iter()
            .flatten()
            .find(|row| {
                set_next(row.next, definition);
                std::ptr::eq(row.next.load(Relaxed), definition)
            })
            .map(|row| row.hook)
    }

    /// The hook for a caller that found `definition` by handle; `None` if both slots already hold other definitions.
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

/// Finds a symbol in the loader's search order after the shim, else in a loaded runtime library.
fn find(symbol: &CStr) -> Option<*const ()> {
    let _dlerror = DlerrorGuard::new();
    let next = dlsym(libc::RTLD_NEXT, symbol);
    if !next.is_null() {
        return Some(next.cast_const().cast());
    }
    RUNTIMES.iter().find_map(|library| {
        // SAFETY: a NUL-terminated name; RTLD_NOLOAD loads nothing and runs no constructor.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return None;
        }
        // Keeps the reference that dlopen added on purpose: the definition must stay loaded.
        let found = dlsym(handle, symbol);
        (!found.is_null()).then_some(found.cast_const().cast())
    })
}
