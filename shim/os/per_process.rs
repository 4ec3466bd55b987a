//! A pointer to what is a process's own: null again in a child.

use std::ops::Deref;
use std::sync::atomic::AtomicPtr;

/// One or more whole pages, which the kernel empties in a child, however it is forked: `_Fork` and `clone` call no handlers of ours.
///
/// To be a `static`: the pages are as large as the pages of any kernel of the architecture, and have nothing else on them.
#[cfg_attr(target_arch = "x86_64", repr(align(4096)))]
#[cfg_attr(not(target_arch = "x86_64"), repr(align(65536)))]
pub struct PerProcess<T>(AtomicPtr<T>);

impl<T> PerProcess<T> {
    /// Null.
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Asks the kernel for it; whether it does. Kernels before 4.14 and emulators refuse: what is left then are the handlers of a fork.
    pub fn wipe_on_fork(&'static self) -> bool {
        let page = std::ptr::from_ref(self).cast_mut();
        // SAFETY: whole pages of our own, without a file behind them; what they hold now stays.
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
            return; // An old kernel, or an emulator.
        }
        NUMBER.store(&raw mut number, Relaxed);
        // SAFETY: the child does nothing but end.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let status = i32::from(!NUMBER.load(Relaxed).is_null());
            crate::exit::exit_now(status);
        }
        let mut status = -1;
        // SAFETY: waits for our own child, into our own variable.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(libc::WEXITSTATUS(status), 0);
        assert_eq!(NUMBER.load(Relaxed), &raw mut number);
    }
}
