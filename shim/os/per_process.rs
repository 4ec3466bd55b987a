//! A pointer to per-process state that is null again in a forked child.

use std::ops::Deref;
use std::sync::atomic::AtomicPtr;

/// Whole pages that the kernel zeroes in a child (`MADV_WIPEONFORK`), however it was forked: `_Fork` and `clone` run no
/// fork handlers.
///
/// Use it in a `static`. Its size covers the largest page of any kernel of the architecture, so nothing else shares its
/// pages.
#[cfg_attr(target_arch = "x86_64", repr(align(4096)))]
#[cfg_attr(not(target_arch = "x86_64"), repr(align(65536)))]
pub struct PerProcess<T>(AtomicPtr<T>);

impl<T> PerProcess<T> {
    /// A null pointer.
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Asks the kernel to zero it on fork and returns whether it will. Kernels before 4.14 and emulators refuse; then
    /// only the fork handlers are left.
    pub fn wipe_on_fork(&'static self) -> bool {
        let page = std::ptr::from_ref(self).cast_mut();
        // SAFETY: whole anonymous pages of ours; their current contents are kept.
        unsafe { libc::madvise(page.cast(), size_of::<Self>(), libc::MADV_WIPEONFORK) == 0 }
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for PerProcess<T> {
    type Target = AtomicPtr<T>;

    #[inline(always)]
    fn deref(&self) -> &AtomicPtr<T> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn a_child_finds_nothing_and_its_parent_keeps_what_it_had() {
        static NUMBER: PerProcess<u32> = PerProcess::new();
        let mut number = 7;
        if !NUMBER.wipe_on_fork() {
            return; // An old kernel or an emulator.
        }
        NUMBER.store(&raw mut number, Relaxed);
        // SAFETY: the child only exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let status = i32::from(!NUMBER.load(Relaxed).is_null());
            crate::exit::exit_now(status);
        }
        let mut status = -1;
        // SAFETY: waits for our own child, into a local variable.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(libc::WEXITSTATUS(status), 0);
        assert_eq!(NUMBER.load(Relaxed), &raw mut number);
    }
}
