//! Copies within this process that the kernel makes: where nothing is mapped, or may not be touched, they fail and nothing faults. For
//! addresses that the runtime or the program gave us.

use crate::seccomp;
use std::io::Error;

/// How a copy went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyOutcome {
    /// All of it.
    Done,
    /// There is nothing, or it may not be touched.
    Faulted,
    /// The kernel makes no such copies here: a sandbox forbids them, or it is another's that has none.
    Unsupported,
}

// Old names, until their last use is gone.
#[allow(non_upper_case_globals)]
impl CopyOutcome {
    #[doc(hidden)]
    pub const Whole: Self = Self::Done;
    #[doc(hidden)]
    pub const Not: Self = Self::Faulted;
    #[doc(hidden)]
    pub const Unknown: Self = Self::Unsupported;
}

/// What the kernel copied, as [`CopyOutcome`].
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
    // The kernel only reads there.
    let ours = bytes.as_ptr().cast_mut();
    copy(libc::process_vm_writev, ours, to, bytes.len())
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
    // SAFETY: asks the kernel for a number.
    let process = unsafe { libc::getpid() };
    // SAFETY: the local end is the caller's own slice; the other is checked by the kernel.
    let done = unsafe { call(process, &local, 1, &remote, 1, 0) };
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

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::CopyOutcome as Copied;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_copied_and_what_is_not_is_told() {
        let (mut target, mut seen) = ([0u8; 4], [0u8; 4]);
        assert_eq!(
            write(target.as_mut_ptr() as u64, &[1, 2, 3, 4]),
            CopyOutcome::Done
        );
        assert_eq!(read(target.as_ptr() as u64, &mut seen), CopyOutcome::Done);
        assert_eq!(seen, [1, 2, 3, 4]);
        assert_eq!(read(64, &mut seen), CopyOutcome::Faulted);
        assert_eq!(write(u64::MAX - 63, &seen), CopyOutcome::Faulted);
        // Constants of this very program may be read and not be written.
        let constant = "constant".as_ptr() as u64;
        assert_eq!(
            (read(constant, &mut seen), write(constant, &[0])),
            (CopyOutcome::Done, CopyOutcome::Faulted)
        );
    }
}
