//! Which allocator the program's `malloc` is. Chunks are known of glibc's alone: memory of others is searched as a whole.

use aclsan_log::ScanGap;
use aclsan_os::loader::dlerror::DlerrorGuard;
use aclsan_unwind::modules;
use std::ffi::{CStr, c_void};

/// Part of a file's name, a function that no other allocator has, and which allocator that is.
const KNOWN: [(&str, &CStr, ScanGap); 3] = [
    ("jemalloc", c"mallctl", ScanGap::Jemalloc),
    ("tcmalloc", c"tc_malloc", ScanGap::Tcmalloc),
    ("mimalloc", c"mi_malloc", ScanGap::Mimalloc),
];

/// `None` for glibc's. Asks the loader: call it before threads are stopped.
pub fn other_allocator() -> Option<ScanGap> {
    let file_of = |name: &CStr| modules::file_of(look_up(name)? as u64);
    // In front of glibc's `malloc` is our companion's; it leaves this function alone.
    let ours = |file: &String| file.starts_with("libaclsan");
    let file = file_of(c"malloc").filter(|file| !ours(file));
    let file = file.or_else(|| file_of(c"posix_memalign"))?;
    if file.starts_with("libc.so") || file.starts_with("libc-") {
        return None;
    }
    let is_it = |(part, function, _): &&(&str, &CStr, ScanGap)| {
        file.contains(part) || file_of(function).is_some_and(|other| other == file)
    };
    Some(
        KNOWN
            .iter()
            .find(is_it)
            .map_or(ScanGap::Allocator, |known| known.2),
    )
}

fn look_up(name: &CStr) -> Option<*mut c_void> {
    let _dlerror = DlerrorGuard::new();
    // SAFETY: a pseudo-handle and a terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_own_allocator_is_glibcs() {
        assert_eq!(other_allocator(), None);
    }
}
