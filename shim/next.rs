//! The definition behind ours: what the loader would have called without us.
//!
//! Looked for when first needed, in this order: the next one in the loader's own search order; the one in a runtime library that is loaded
//! but not in the search order; the one that the program itself looked up in a library that it opened privately; and last, that of any
//! library: a plugin that was opened privately has its own scope, and brings a runtime of another name there.
//!
//! What a program looks up by a handle may be another definition than the one behind ours: another tool's, or a second runtime's. It has an
//! export of its own ([`Interposed::private`]), so that each caller reaches what it would have reached without us.

use crate::errno::Errno;
use crate::{elf, inherited, modules};
use aclsan_os::loader::LOOKUPS;
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
struct Missed(AtomicU64);

impl Missed {
    const NEVER: u64 = u64::MAX;

    const fn never() -> Self {
        Self(AtomicU64::new(Self::NEVER))
    }

    /// What `search` finds, if it may.
    fn unless_again<T>(&self, search: impl FnOnce() -> Option<T>) -> Option<T> {
        let missed = self.0.load(Relaxed);
        if missed != Self::NEVER && inherited::is() {
            return None;
        }
        let done = modules::loads().wrapping_add(LOOKUPS.load(Acquire));
        if missed == done {
            return None;
        }
        let found = search();
        if found.is_none() {
            self.0.store(done, Relaxed);
        }
        found
    }
}

/// One exported hook.
pub struct Interposed {
    name: &'static str,
    hook: *const (),
    next: AtomicPtr<()>,
    function: &'static Function,
    number: u16,
    is_twin: bool,
    /// The same call's hook for a definition that the program found by a handle.
    private: Option<&'static Interposed>,
    missed: Missed,
}

// SAFETY: `hook` is the address of a function, the same for all threads.
unsafe impl Sync for Interposed {}

impl Interposed {
    /// A hook for the symbol `name`, which ends with a NUL, of the known call number `number`.
    pub const fn new(name: &'static str, hook: *const (), number: u16) -> Self {
        Self {
            name,
            hook,
            next: AtomicPtr::new(std::ptr::null_mut()),
            function: &FUNCTIONS[number as usize],
            number,
            is_twin: matches!(name.as_bytes(), [.., b'I', b'm', b'p', b'l', 0]),
            private: None,
            missed: Missed::never(),
        }
    }

    /// The same, with a hook for what programs find by a handle.
    pub const fn with_private(self, private: &'static Self) -> Self {
        Self {
            private: Some(private),
            ..self
        }
    }

    /// The symbol.
    pub fn name(&self) -> &'static str {
        self.name.trim_end_matches('\0')
    }

    /// Our definition of it.
    pub fn hook(&self) -> *const () {
        self.hook
    }

    /// Whether `address` is our definition of it, by either way.
    pub fn is_at(&self, address: *const ()) -> bool {
        let is_private = |private: &Self| std::ptr::eq(address, private.hook);
        std::ptr::eq(address, self.hook) || self.private.is_some_and(is_private)
    }

    /// The definition behind the one of our definitions that is at `address`; `None` if neither is.
    pub fn behind(&self, address: *const ()) -> Option<*const ()> {
        let hooks = [Some(self), self.private];
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
    pub fn is_twin(&self) -> bool {
        self.is_twin
    }

    /// The definition behind ours; `None` where no loaded library has one.
    #[inline(always)]
    pub fn next(&self) -> Option<*const ()> {
        let mut next = self.next.load(Relaxed).cast_const();
        if next.is_null() {
            next = self.search();
        }
        (!next.is_null()).then_some(next)
    }

    /// The hook for a caller that found `definition` by a handle; `None` when it is one of too many to be watched.
    pub fn watching(&self, definition: *mut ()) -> Option<*const ()> {
        let in_order = CStr::from_bytes_with_nul(self.name.as_bytes()).ok()?;
        let in_order = dlsym(libc::RTLD_NEXT, in_order);
        let slot = match self.private {
            Some(private) if !std::ptr::eq(in_order.cast(), definition) => private,
            _ => self,
        };
        slot.offer(definition);
        let is_next = std::ptr::eq(slot.next.load(Relaxed), definition);
        is_next.then_some(slot.hook)
    }

    /// Takes a definition, if none was known.
    fn offer(&self, definition: *mut ()) {
        if definition.is_null() || self.is_at(definition) {
            return;
        }
        let taken = self
            .next
            .compare_exchange(std::ptr::null_mut(), definition, Relaxed, Relaxed);
        if taken.is_ok() {
            keep_loaded(definition);
        }
    }

    #[cold]
    #[inline(never)]
    fn search(&self) -> *const () {
        let _errno = Errno::keep();
        self.searched().unwrap_or(std::ptr::null())
    }

    fn searched(&self) -> Option<*const ()> {
        let symbol = CStr::from_bytes_with_nul(self.name.as_bytes()).ok()?;
        let known = || self.private?.known();
        let found = self.missed.unless_again(|| {
            find(symbol)
                .filter(|&found| !self.is_at(found))
                .or_else(known)
                .or_else(|| elf::symbol_of_any(symbol.to_bytes(), |found| !self.is_at(found)))
        })?;
        self.offer(found.cast_mut());
        Some(found)
    }

    fn known(&self) -> Option<*const ()> {
        let next = self.next.load(Relaxed).cast_const();
        (!next.is_null()).then_some(next)
    }
}

/// A function of the runtime's that we call and do not hook.
pub struct Foreign {
    symbol: &'static CStr,
    found: AtomicPtr<()>,
    missed: Missed,
}

impl Foreign {
    /// The function of that name.
    pub const fn new(symbol: &'static CStr) -> Self {
        Self {
            symbol,
            found: AtomicPtr::new(std::ptr::null_mut()),
            missed: Missed::never(),
        }
    }

    /// Its definition; `None` where no loaded library has one.
    pub fn find(&self) -> Option<*const ()> {
        let mut found = self.found.load(Relaxed).cast_const();
        if found.is_null() {
            found = self.missed.unless_again(|| find(self.symbol))?;
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
