//! Functions of libc by which the program changes what is mapped where: pages that it names are its own again, and what it
//! asks for is then done on them as if nobody had protected them.

use crate::host_pages::{mapping, wrap};
use libc::{c_int, c_void, off_t, size_t};

wrap! {
    fn munmap(address: *mut c_void, size: size_t) -> c_int, |_here| mapping(address as u64, size as u64);
    fn mprotect(address: *mut c_void, size: size_t, allowed: c_int) -> c_int, |_here| mapping(address as u64, size as u64);
    fn madvise(address: *mut c_void, size: size_t, advice: c_int) -> c_int, |_here| mapping(address as u64, size as u64);
    fn posix_madvise(address: *mut c_void, size: size_t, advice: c_int) -> c_int, |_here| mapping(address as u64, size as u64);
    fn mlock(address: *const c_void, size: size_t) -> c_int, |_here| mapping(address as u64, size as u64);
    fn mmap(address: *mut c_void, size: size_t, allowed: c_int, flags: c_int, fd: c_int, at: off_t) -> *mut c_void,
        |_here| mapping(address as u64, size as u64);
    fn mmap64(address: *mut c_void, size: size_t, allowed: c_int, flags: c_int, fd: c_int, at: off_t) -> *mut c_void,
        |_here| mapping(address as u64, size as u64);
    /// The last argument is there with `MREMAP_FIXED` only; if it is not, nothing uses it.
    fn mremap(address: *mut c_void, size: size_t, wanted: size_t, flags: c_int, fixed: *mut c_void) -> *mut c_void,
        |_here| {
            mapping(address as u64, size as u64);
            if flags & libc::MREMAP_FIXED != 0 {
                mapping(fixed as u64, wanted as u64);
            }
        };
}
