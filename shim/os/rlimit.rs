//! What the process may have of a resource.

use crate::seccomp;

/// No limit.
pub const UNLIMITED: u64 = libc::RLIM_INFINITY;

/// The limit on `resource`. Under a filter of system calls it is not to be asked for: none then.
pub fn soft_limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: UNLIMITED,
        rlim_max: UNLIMITED,
    };
    if !seccomp::is_seccomp_active() {
        // SAFETY: writes into our own variable.
        unsafe { libc::getrlimit(resource, &mut limit) };
    }
    limit.rlim_cur
}
