//! Detects a seccomp filter, which may kill the process for a system call that it does not expect.
//!
//! Under a filter the shim uses only calls that every program makes: it opens, reads, writes, maps and closes files,
//! asks for its own IDs, and polls stderr for room. Each place that loses something by that says so.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a seccomp filter is active. A filter is never removed, and one may be added to this thread at any time.
pub fn is_seccomp_active() -> bool {
    static SEEN: AtomicBool = AtomicBool::new(false);
    if !SEEN.load(Relaxed) {
        // SAFETY: returns a number; fails where a filter rejects the question.
        let mode = unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) };
        let is_unknown =
            mode == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL);
        SEEN.store(mode != 0 && !is_unknown, Relaxed);
    }
    SEEN.load(Relaxed)
}
