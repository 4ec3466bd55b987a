//! Copies to and from blocks, by the runtime's own copy unless the host can reach them.

use super::slots;
use crate::abi;
use crate::own_copy::{self, Copied};
use crate::uncancelled::Uncancelled;
use std::ffi::c_void;

/// Writes `bytes` to a block's memory, by the runtime's own copy unless it is host memory; `false` if the runtime would not.
pub fn copy_to(is_host: bool, to: *mut c_void, bytes: &[u8]) -> bool {
    if is_host {
        let copied = own_copy::write(to as u64, bytes);
        if copied == Copied::Unknown {
            // SAFETY: pinned memory that the runtime gave out for at least this many bytes: guard::plan asked for them.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
        }
        return copied != Copied::Not;
    }
    copy(
        to,
        bytes.as_ptr().cast(),
        bytes.len(),
        abi::ACL_MEMCPY_HOST_TO_DEVICE,
    )
}

/// Reads a block's memory, as [`copy_to`] writes it.
pub fn copy_from(is_host: bool, from: *const c_void, bytes: &mut [u8]) -> bool {
    if is_host {
        let copied = own_copy::read(from as u64, bytes);
        if copied == Copied::Unknown {
            // SAFETY: pinned memory of a block that is still live, for as many bytes as `copy_to` wrote.
            unsafe { std::ptr::copy_nonoverlapping(from.cast(), bytes.as_mut_ptr(), bytes.len()) };
        }
        return copied != Copied::Not;
    }
    copy(
        bytes.as_mut_ptr().cast(),
        from,
        bytes.len(),
        abi::ACL_MEMCPY_DEVICE_TO_HOST,
    )
}

fn copy(to: *mut c_void, from: *const c_void, bytes: usize, kind: abi::aclrtMemcpyKind) -> bool {
    let _uncancelled = Uncancelled::enter();
    if crate::capture::forbids_copies() {
        return false;
    }
    let Some(next) = slots::MEMCPY.next() else {
        return false;
    };
    // SAFETY: one end is ours, the other lies in a live block; the runtime checks what it can.
    unsafe { next(to, bytes, from, bytes, kind) == 0 }
}
