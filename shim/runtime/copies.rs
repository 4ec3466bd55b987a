//! Copies to and from blocks: by the kernel for host memory, by the runtime's blocking copy for device memory.

use super::slots;
use crate::abi;
use crate::state::graph_captures::GraphCaptures;
use aclsan_guards::Space;
use aclsan_os::safe_copy::{self, CopyOutcome};
use std::ffi::c_void;

/// Writes `bytes` to a block; `false` if the runtime refuses, or nothing is mapped there.
pub fn copy_to(captures: &GraphCaptures, space: Space, to: u64, bytes: &[u8]) -> bool {
    let target = to as *mut c_void;
    if space == Space::Host {
        let copied = safe_copy::write(to, bytes);
        if copied == CopyOutcome::Unsupported {
            // SAFETY: pinned memory; the runtime allocated at least this many bytes, as `aclsan_guards::plan` asked for.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.cast(), bytes.len()) };
        }
        return copied != CopyOutcome::Faulted;
    }
    copy(
        captures,
        target,
        bytes.as_ptr().cast(),
        bytes.len(),
        abi::ACL_MEMCPY_HOST_TO_DEVICE,
    )
}

/// Reads from a block, the way [`copy_to`] writes to it.
pub fn copy_from(captures: &GraphCaptures, space: Space, from: u64, bytes: &mut [u8]) -> bool {
    let source = from as *const c_void;
    if space == Space::Host {
        let copied = safe_copy::read(from, bytes);
        if copied == CopyOutcome::Unsupported {
            // SAFETY: pinned memory of a live block, for as many bytes as `copy_to` wrote.
            unsafe {
                std::ptr::copy_nonoverlapping(source.cast(), bytes.as_mut_ptr(), bytes.len())
            };
        }
        return copied != CopyOutcome::Faulted;
    }
    copy(
        captures,
        bytes.as_mut_ptr().cast(),
        source,
        bytes.len(),
        abi::ACL_MEMCPY_DEVICE_TO_HOST,
    )
}

fn copy(
    captures: &GraphCaptures,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: abi::aclrtMemcpyKind,
) -> bool {
    if captures.forbids_copies() {
        return false;
    }
    slots::MEMCPY.status(|copy| copy(to, bytes, from, bytes, kind)) == Some(0)
}
