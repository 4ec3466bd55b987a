//! Copies memory within this process through the kernel (`process_vm_readv`, `process_vm_writev`). An unmapped or
//! protected address makes the copy fail instead of faulting. For addresses that the runtime or the program gave us.

use crate::seccomp;
use crate::thread_name::current_tid;
use std::io::Error;

/// The outcome of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyOutcome {
    /// Everything was copied.
    Done,
    /// Nothing is mapped there, or access is not allowed.
    Faulted,
    /// The kernel does not make such copies here: a sandbox forbids them, or the kernel lacks them.
    Unsupported,
}

/// `process_vm_readv` or `process_vm_writev`.
type Call = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> libc::ssize_t;

/// Reads `bytes.len()` bytes at `from`.
pub fn read(from: u64, bytes: &mut [u8]) -> CopyOutcome {
    copy(
        libc::process_vm_readv,
        bytes.as_mut_ptr(),
        from,
        bytes.len(),
    )
}

/// Writes `bytes` to `to`.
pub fn write(to: u64, bytes: &[u8]) -> CopyOutcome {
    // The kernel only reads from it.
    let ours = bytes.as_ptr().cast_mut();
    copy(libc::process_vm_writev, ours, to, bytes.len())
}

/// Reads these pieces of memory, one after the other, into `bytes`, up to the first byte that is not readable; returns how many
/// bytes were read, 0 under a filter.
pub fn read_pieces(from: &[libc::iovec], bytes: &mut [u8]) -> usize {
    if seccomp::is_seccomp_active() {
        return 0;
    }
    let into = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let count = from.len() as libc::c_ulong;
    // SAFETY: writes at most the caller's slice; an address with nothing behind it ends the read and does not fault.
    let read = unsafe { libc::process_vm_readv(own(), &into, 1, from.as_ptr(), count, 0) };
    usize::try_from(read).unwrap_or(0)
}

/// The calling thread, not the process: the first thread may have ended, and then the process's ID has no memory.
fn own() -> libc::pid_t {
    current_tid().cast_signed()
}

fn copy(call: Call, ours: *mut u8, other: u64, length: usize) -> CopyOutcome {
    if seccomp::is_seccomp_active() {
        return CopyOutcome::Unsupported;
    }
    let local = libc::iovec {
        iov_base: ours.cast(),
        iov_len: length,
    };
    let remote = libc::iovec {
        iov_base: other as *mut _,
        iov_len: length,
    };
    // SAFETY: the local end is the caller's own slice; the kernel checks the other one.
    let done = unsafe { call(own(), &local, 1, &remote, 1, 0) };
    if done == length as isize {
        return CopyOutcome::Done;
    }
    let is_short = done >= 0;
    match Error::last_os_error().raw_os_error() {
        _ if is_short => CopyOutcome::Faulted,
        Some(libc::EFAULT | libc::EINVAL) => CopyOutcome::Faulted,
        _ => CopyOutcome::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_memory_is_copied_and_unmapped_memory_is_reported() {
        let (mut target, mut seen) = ([0u8; 4], [0u8; 4]);
        assert_eq!(
            write(target.as_mut_ptr() as u64, &[1, 2, 3, 4]),
            CopyOutcome::Done
        );
        assert_eq!(read(target.as_ptr() as u64, &mut seen), CopyOutcome::Done);
        assert_eq!(seen, [1, 2, 3, 4]);
        assert_eq!(read(64, &mut seen), CopyOutcome::Faulted);
        assert_eq!(write(u64::MAX - 63, &seen), CopyOutcome::Faulted);
        // Constants of this program are readable and not writable.
        let constant = "constant".as_ptr() as u64;
        assert_eq!(
            (read(constant, &mut seen), write(constant, &[0])),
            (CopyOutcome::Done, CopyOutcome::Faulted)
        );
    }
}
