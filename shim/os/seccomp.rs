//! System calls that every program makes, in place of others, where a filter may end the process for one that it does not expect.
//!
//! Under a filter (seccomp) the shim opens, reads, writes, maps and closes files, asks for its numbers, and whether stderr has room; nothing
//! else. What that costs is told where it is lost.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a filter of system calls is on. It never goes; a thread that is without one may be joined by it any time.
pub fn is_seccomp_active() -> bool {
    static SEEN: AtomicBool = AtomicBool::new(false);
    if !SEEN.load(Relaxed) {
        // SAFETY: asks the kernel for a number. Refused where a filter minds the question.
        let mode = unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) };
        let is_unknown =
            mode == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL);
        SEEN.store(mode != 0 && !is_unknown, Relaxed);
    }
    SEEN.load(Relaxed)
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::is_seccomp_active as is_filtered;
