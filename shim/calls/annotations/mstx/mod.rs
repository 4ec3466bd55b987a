//! mstx: annotations for any tool, set up by each shared object on its own.
//!
//! mstx is a header-only library. On first use it looks for `InitInjectionMstx`, in the library that `MSTX_INJECTION_PATH` names or else in
//! the whole program, and passes it a table of its functions, one table per shared object. So a preloaded library is found without a
//! variable; if the variable names another tool's library, that one is called and we see nothing.
//!
//! The next tool (CANN's own profiler library exports the same name) is initialized first: the functions that it hooks are still called, by
//! ours. `mstxGetToolId` is left alone: aclsan has no tool number, and programs choose their behavior by it.

mod domains;
mod heaps;
mod marks;
mod regions;

use crate::abi::{
    MSTX_API_MODULE_CORE, MSTX_API_MODULE_CORE_DOMAIN, MSTX_API_MODULE_CORE_MEM, mstxFuncModule,
    mstxFuncPointer, mstxGetModuleFuncTableFunc,
};
use crate::record::Recorder;
use crate::runtime::next;
use aclsan_os::loader::dlerror::DlerrorGuard;
use domains::Domain;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

const SUCCESS: c_int = 0;
const FAIL: c_int = 1;

/// A function of mstx that we hook.
pub struct Taken {
    module: mstxFuncModule,
    index: usize,
    ours: *const (),
    /// The hook of the next tool.
    next: &'static AtomicPtr<()>,
}

// SAFETY: `ours` is the address of a function, the same for all threads.
unsafe impl Sync for Taken {}

/// Generates entries of the tables. `fn name(arguments) -> result = behavior, MODULE[index];` passes each call to `behavior(hook, next,
/// arguments)`; `hook` is `None` for a call that is ignored, and `next` is `None` without another tool. `if known in answer` after it: without
/// another tool, what `answer(arguments)` has for a call that says nothing new is returned, and no hook is entered.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $behavior:path, $module:ident[$index:literal]
        $(, if known in $answer:ident)?;)+) => {
        $($(#[doc = $doc])*
        #[allow(non_snake_case)]
        pub mod $name {
            use super::*;
            use crate::calls::annotations::mstx::Taken;
            use crate::calls::entry;
            use crate::runtime::next::Interceptor;
            use aclsan_unwind::registers;
            use aclsan_rules::api::functions;
            use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

            pub type Fn = extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            // The header is the authority: a row that disagrees does not compile.
            const _: unsafe extern "C" fn($($ty),*) $(-> $ret)? = crate::abi::$name;

            static ROW: Interceptor = Interceptor::unforwarded(functions::number(stringify!($name)));
            static NEXT: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
            pub static TAKEN: Taken = Taken {
                module: crate::abi::$module, index: $index, ours: OURS, next: &NEXT };

            calls!(@ours [$($answer)?] ($($arg: $ty),*) $(-> $ret)?);

            #[inline(never)]
            unsafe extern "C-unwind" fn enter($($arg: $ty),*) $(-> $ret)? {
                let next = NEXT.load(Relaxed);
                let next = (!next.is_null()).then(|| {
                    // SAFETY: another tool stored it in this very entry, whose type the header gives; it gets the caller's own arguments.
                    unsafe { std::mem::transmute::<*mut (), Fn>(next) }
                });
                let hook = entry::enter(&ROW, registers::here());
                $behavior(hook.as_ref(), next $(, $arg)*)
            }
        })+

        pub static CALLS: &[&crate::calls::annotations::mstx::Taken] = &[$(&$name::TAKEN),+];
    };
    (@ours [] $($signature:tt)*) => {
        const OURS: *const () = enter as *const ();
    };
    (@ours [$answer:ident] ($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        const OURS: *const () = ours as *const ();

        // Enters no hook itself, so that little code is fetched where there is an answer.
        unsafe extern "C-unwind" fn ours($($arg: $ty),*) -> $ret {
            if !aclsan_log::branch::unlikely(!NEXT.load(Relaxed).is_null()) && let Some(answer) = $answer($($arg),*) {
                return answer;
            }
            // SAFETY: the caller's own arguments.
            unsafe { enter($($arg),*) }
        }
    };
}
use calls;

/// Our own handles. They are not addresses, so none can be mistaken for another tool's.
const OURS: u64 = 0xac15_a000_0000_0000;

/// A new unique handle.
fn new_handle() -> u64 {
    static HANDLES: AtomicU64 = AtomicU64::new(1);
    OURS | HANDLES.fetch_add(1, Relaxed)
}

/// Whether a handle is ours, and must not reach another tool.
fn is_ours(handle: u64) -> bool {
    handle >> 44 == OURS >> 44
}

/// A new id for a range of ours.
fn new_range() -> u64 {
    static RANGES: AtomicU64 = AtomicU64::new(1);
    RANGES.fetch_add(1, Relaxed)
}

/// The id of a domain's name; 0 for the global domain.
fn name_of(recorder: &Recorder, domain: &Domain) -> u64 {
    match (domain.name.as_str(), domain.careless) {
        ("", _) => 0,
        (name, None) => recorder.string_id(name),
        (name, Some(at)) => {
            // Asked for at each tensor.
            let known = &recorder.process.calls.careless[at].name;
            if known.load(Relaxed) == 0 {
                known.store(recorder.string_id(name), Relaxed);
            }
            known.load(Relaxed)
        }
    }
}

type Init = unsafe extern "C" fn(mstxGetModuleFuncTableFunc) -> c_int;

/// The function that mstx looks for.
#[cfg_attr(not(test), unsafe(export_name = "InitInjectionMstx"))]
unsafe extern "C" fn init(get_table: mstxGetModuleFuncTableFunc) -> c_int {
    let entries = entries(get_table);
    // SAFETY: each entry is the address of a pointer, by the interface; nobody else has the table yet.
    let read = |at: &*mut mstxFuncPointer| address(unsafe { at.read() });
    let before: Vec<_> = entries.iter().map(|(_, at)| read(at)).collect();
    let theirs = {
        let _dlerror = DlerrorGuard::new();
        next::dlsym(libc::RTLD_NEXT, c"InitInjectionMstx")
    };
    let mut status = FAIL;
    if !theirs.is_null() && !std::ptr::eq(theirs.cast_const().cast(), init as *const ()) {
        // SAFETY: the definition that mstx would have found without us; the interface gives its type.
        let theirs = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Init>(theirs) };
        // SAFETY: the caller's own argument.
        status = unsafe { theirs(get_table) };
    }
    for ((taken, at), before) in entries.iter().zip(before) {
        let after = read(at);
        if !std::ptr::eq(after, before) && !std::ptr::eq(after, taken.ours) {
            taken.next.store(after.cast_mut(), Relaxed);
        }
        // SAFETY: the address of a function with this entry's type.
        let ours = unsafe { std::mem::transmute::<*const (), mstxFuncPointer>(taken.ours) };
        // SAFETY: as above.
        unsafe { at.write(ours) };
        status = SUCCESS;
    }
    status
}

fn address(function: mstxFuncPointer) -> *const () {
    function.map_or(std::ptr::null(), |function| function as *const ())
}

/// The entries of the caller's tables that we hook; older headers have fewer.
fn entries(get_table: mstxGetModuleFuncTableFunc) -> Vec<(&'static Taken, *mut mstxFuncPointer)> {
    let mut entries = Vec::new();
    let Some(get_table) = get_table else {
        return entries;
    };
    let modules = [
        MSTX_API_MODULE_CORE,
        MSTX_API_MODULE_CORE_DOMAIN,
        MSTX_API_MODULE_CORE_MEM,
    ];
    for module in modules {
        let (mut table, mut highest): (_, c_uint) = (std::ptr::null_mut(), 0);
        // SAFETY: the caller's own function, which writes our two variables.
        let status = unsafe { get_table(module, &mut table, &mut highest) };
        if status != SUCCESS || table.is_null() {
            continue;
        }
        let all = [marks::CALLS, heaps::CALLS, regions::CALLS]
            .into_iter()
            .flatten();
        for taken in all.filter(|taken| taken.module == module && taken.index <= highest as usize) {
            // SAFETY: an index that the table has, by its highest.
            let at = unsafe { table.wrapping_add(taken.index).read() };
            if !at.is_null() {
                entries.push((*taken, at));
            }
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_ours_are_known_and_addresses_are_not() {
        assert!(is_ours(new_handle()) && is_ours(new_handle() + (1 << 43)));
        for address in [0, 1, 0x7fff_ffff_f000, 0x1240_0000_0000, u64::MAX] {
            assert!(!is_ours(address), "{address:#x}");
        }
    }
}
