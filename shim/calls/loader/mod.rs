//! `dlsym` and `dlvsym` answer with our hooks, so programs that look up AscendCL by handle reach them too.
//!
//! libc's `dlsym` identifies its caller by its return address; `RTLD_NEXT` means "after the caller". A wrapper that calls it would make
//! `RTLD_NEXT` of every other library start after *us*, and a library preloaded after us would find itself, endlessly. So our entries are
//! naked: they ask [`answer`], and for anything that is not ours they jump to libc with the caller's return address in place.

mod dladdr;
pub mod dlopen;
mod entry;
mod naked_entries;

pub use entry::{Entry, entry};

use super::{PREFIXES, TABLES};
use crate::runtime::next;
use crate::runtime::next::Interceptor;
use crate::state::attachment;
use aclsan_os::loader::{elf, late};
use aclsan_os::racy_once::RacyOnce;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};

/// libc's definitions, which the naked entries jump to; set by [`answer`] before they do.
static REAL_DLSYM: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static REAL_DLVSYM: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// The next action of a naked entry; in two registers, by the C ABI of both architectures.
#[repr(C)]
struct Answer {
    /// 0: jump to libc. 1: return `result`.
    is_ours: u64,
    result: *const (),
}

const NOT_OURS: Answer = Answer {
    is_ours: 0,
    result: std::ptr::null(),
};

/// Answers `dlsym` as called from `caller`.
extern "C" fn answer(
    handle: *mut c_void,
    symbol: *const c_char,
    _: *const c_char,
    caller: *const (),
) -> Answer {
    let ask = |symbol: &CStr| next::dlsym(handle, symbol);
    answer_with(handle, symbol, caller, ask)
}

/// Answers `dlvsym`.
extern "C" fn answer_versioned(
    handle: *mut c_void,
    symbol: *const c_char,
    version: *const c_char,
    caller: *const (),
) -> Answer {
    answer_with(handle, symbol, caller, |symbol| {
        // SAFETY: libc's definition or `nothing`, whose type is that of GNU's dlvsym.
        let real = unsafe { std::mem::transmute::<*mut (), Dlvsym>(REAL_DLVSYM.load(Relaxed)) };
        // SAFETY: the caller's own arguments.
        unsafe { real(handle, symbol.as_ptr(), version) }
    })
}

/// Type of `dlvsym`.
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// Whether `symbol`, looked up in `handle`, is one of ours. The runtime is asked first, by `ask`: what it lacks, we lack.
fn answer_with(
    handle: *mut c_void,
    symbol: *const c_char,
    caller: *const (),
    ask: impl Fn(&CStr) -> *mut c_void,
) -> Answer {
    // A caller that is given our `dlsym` also gets our `dlvsym`, which the other entry jumps to without asking.
    if REAL_DLSYM.load(Acquire).is_null() {
        let real = |name| {
            elf::libc_symbol(name)
                .unwrap_or(nothing as *const ())
                .cast_mut()
        };
        REAL_DLVSYM.store(real(b"dlvsym"), Relaxed);
        REAL_DLSYM.store(real(b"dlsym"), Release);
    }
    if handle == libc::RTLD_NEXT || symbol.is_null() {
        return NOT_OURS;
    }
    if late::is_late() && !attachment::is_attached() {
        return NOT_OURS;
    }
    // SAFETY: the caller's own argument, a terminated name by dlsym's contract.
    let symbol = unsafe { CStr::from_ptr(symbol) };
    let Some(row) = row(symbol.to_bytes()) else {
        return NOT_OURS;
    };
    let found = ask(symbol);
    if found.is_null() {
        return NOT_OURS; // libc fails again, and sets dlerror.
    }
    if row.is_own_hook(found.cast()) {
        // A lookup in the whole program: it succeeds if there is a next definition, or one in the caller's own scope, which libc searches
        // last. If not, this sets dlerror, too.
        let behind = || {
            let found = next::dlsym(libc::RTLD_NEXT, symbol);
            (!found.is_null()).then(|| row.hook())
        };
        let beside = || {
            let found = next::seen_from(caller, symbol);
            let is_other = !found.is_null() && !row.is_own_hook(found.cast());
            is_other
                .then(|| row.hook_for_handle(found.cast()))
                .flatten()
        };
        let beside = || {
            beside().inspect(|_| {
                ask(symbol); // Clears the error that `behind` has left.
            })
        };
        let result = behind().or_else(beside).or_else(behind);
        return Answer {
            is_ours: 1,
            result: result.unwrap_or(std::ptr::null()),
        };
    }
    if late::is_late() {
        attachment::redirect_if_expected();
        let result = row.hook_for_bound(found.cast());
        ask(symbol);
        return result.map_or(NOT_OURS, |result| Answer { is_ours: 1, result });
    }
    // A definition before ours in the search order calls the next one, which is ours: it must never become our next.
    let is_before =
        handle == libc::RTLD_DEFAULT || next::dlsym(libc::RTLD_DEFAULT, symbol) == found;
    if is_before {
        return NOT_OURS;
    }
    let Some(result) = row.hook_for_handle(found.cast()) else {
        return NOT_OURS;
    };
    ask(symbol); // Clears the error that looking elsewhere may have left.
    Answer { is_ours: 1, result }
}

/// Replaces `dlvsym` on a libc without it.
extern "C" fn nothing() -> *mut c_void {
    std::ptr::null_mut()
}

fn row(symbol: &[u8]) -> Option<&'static Interceptor> {
    static SORTED: RacyOnce<Vec<&'static Interceptor>> = RacyOnce::new();
    // Nearly every lookup ends here, including those that an allocator makes before there is memory.
    if !PREFIXES.iter().any(|prefix| symbol.starts_with(prefix)) {
        return None;
    }
    let sorted = SORTED.get_or_init(|| {
        let mut rows: Vec<_> = TABLES
            .iter()
            .flat_map(|table| table.iter().copied().flatten().copied())
            .collect();
        rows.sort_by_key(|row| row.name());
        rows
    });
    sorted
        .binary_search_by_key(&symbol, |row| row.name().as_bytes())
        .ok()
        .map(|at| sorted[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_name() {
        let rows = TABLES.iter().copied().flatten().copied().flatten();
        let lost: Vec<_> = rows
            .map(|row| row.name())
            .filter(|name| super::row(name.as_bytes()).is_none())
            .collect();
        assert!(lost.is_empty(), "`dlsym` does not answer for {lost:?}");
    }
}
