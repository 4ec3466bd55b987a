//! What the program wants to happen at SIGSEGV, while the handler of [`super::fault`] is installed in its place.
//!
//! A fault that is not ours is not imitated. The program's action is installed, the faulting instruction runs again, and the
//! kernel does what the program asked for: handler, stack, mask, flags, core dump. Until the next claim the program's
//! action stays.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::*};

unsafe extern "C" {
    /// glibc's own `sigaction`: the other name may be the program's or our companion's.
    fn __sigaction(
        signal: libc::c_int,
        action: *const libc::sigaction,
        before: *mut libc::sigaction,
    ) -> libc::c_int;
}

/// Read and written under the lock of the table only.
struct Kept(UnsafeCell<MaybeUninit<libc::sigaction>>);

// SAFETY: accessed under the lock only.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new(MaybeUninit::zeroed()));
/// Whether our handler is installed.
static IS_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Whether our handler is installed.
pub(super) fn is_installed() -> bool {
    IS_INSTALLED.load(Acquire)
}

/// Whether our handler is really there: somebody may have set an action without our knowing.
pub(super) fn is_current(handler: usize) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks, and writes to our own room.
    let answer = unsafe { __sigaction(libc::SIGSEGV, std::ptr::null(), now.as_mut_ptr()) };
    // SAFETY: all-zero is a valid value of every field.
    let now = unsafe { now.assume_init() };
    answer == 0 && now.sa_sigaction == handler
}

/// Installs our handler, and keeps the program's action. The lock is held.
pub(super) fn install(handler: &libc::sigaction) -> bool {
    let kept = KEPT.0.get().cast();
    // SAFETY: a valid action and our own room; the lock is held.
    let is_done = unsafe { __sigaction(libc::SIGSEGV, handler, kept) == 0 };
    IS_INSTALLED.store(is_done, Release);
    is_done
}

/// Installs the program's action again. The lock is held.
pub(super) fn restore() {
    if IS_INSTALLED.swap(false, AcqRel) {
        let kept = KEPT.0.get().cast();
        // SAFETY: what `install` kept; the lock is held.
        unsafe { __sigaction(libc::SIGSEGV, kept, std::ptr::null_mut()) };
    }
}

/// The program sets (unless `new` is null) and asks for (unless `old` is null) its action at SIGSEGV. Returns `false` if our
/// handler is not installed: then the call is libc's.
///
/// # Safety
/// Both are null or valid.
pub unsafe fn replace_program_action(
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> bool {
    super::with(|_| {
        if !is_installed() {
            return false;
        }
        let kept: *mut libc::sigaction = KEPT.0.get().cast();
        // SAFETY: `new` is null or valid, and may be where `old` is.
        let wanted = unsafe { new.as_ref() }.copied();
        if !old.is_null() {
            // SAFETY: both are valid; the lock is held.
            unsafe { old.copy_from(kept, 1) };
        }
        if let Some(wanted) = wanted {
            // SAFETY: our own room; the lock is held.
            unsafe { kept.write(wanted) };
        }
        true
    })
}
