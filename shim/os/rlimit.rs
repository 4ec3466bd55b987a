//! Resource limits of the process.

use crate::seccomp;

/// No limit.
pub const UNLIMITED: u64 = libc::RLIM_INFINITY;

/// The soft limit on `resource`. Under a seccomp filter it cannot be asked for and counts as unlimited.
pub fn soft_limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: UNLIMITED,
        rlim_max: UNLIMITED,
    };
    if !seccomp::is_seccomp_active() {
        // SAFETY: writes to a local variable.
        unsafe { libc::getrlimit(resource, &mut limit) };
    }
    limit.rlim_cur
}
