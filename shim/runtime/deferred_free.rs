//! Releases that the program asked for earlier, for blocks that leave the quarantine.

use super::{ACL_ERROR_API_NOT_SUPPORT, slots};
use std::ffi::c_void;

/// A release that can be deferred: it waits for nothing and needs no context. All of them have this type in the headers.
type Free = slots::TypedSlot<extern "C-unwind" fn(*mut c_void) -> i32>;

/// Whether a release by the call `name` can be deferred and made by [`deferred_free`].
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

/// Releases a block by the call `name`, which the program made earlier. `start` is the block's start as the runtime knows it.
pub fn deferred_free(name: &str, start: *mut c_void) -> i32 {
    let status = slot(name).and_then(|slot| slot.status(|free| free(start)));
    status.unwrap_or(ACL_ERROR_API_NOT_SUPPORT)
}
