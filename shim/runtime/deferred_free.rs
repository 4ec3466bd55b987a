//! Releases that the program has asked for and that are made later.

use super::{ACL_ERROR_API_NOT_SUPPORT, slots};
use aclsan_os::cancel::Uncancelled;
use std::ffi::c_void;

/// The releases that may be made later: they wait for nothing and ask for no context. All have this type by the headers.
type Free = slots::TypedSlot<unsafe extern "C-unwind" fn(*mut c_void) -> i32>;

/// Whether a release by the call of that name may be made later, by [`deferred_free`].
pub fn is_deferrable(name: &str) -> bool {
    slot(name).is_some()
}

fn slot(name: &str) -> Option<&'static Free> {
    match name {
        "aclrtFree" => Some(&slots::FREE),
        "aclrtFreeHost" => Some(&slots::FREE_HOST),
        "acldvppFree" => Some(&slots::DVPP_FREE),
        "hi_mpi_dvpp_free" => Some(&slots::MPI_DVPP_FREE),
        _ => None,
    }
}

/// Releases the block that starts at `start`, as the runtime knows it, as the program asked for earlier by the call of that name.
pub fn deferred_free(name: &str, start: *mut c_void) -> i32 {
    let _uncancelled = Uncancelled::enter();
    let Some(next) = slot(name).and_then(Free::next) else {
        return ACL_ERROR_API_NOT_SUPPORT;
    };
    // SAFETY: a block that the runtime gave out, that the program has released, and that nobody else releases: it was taken out of the
    // quarantine.
    unsafe { next(start) }
}
