//! Room for entries: on pages of its own, if it fills some. Lists grow all the time, each by a little, and leave what they were: on a heap
//! that would be holes which nothing fits in, about half as many bytes as all lists have.

use super::Slot;
use aclsan_os::{maps, seccomp};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Slots, empty at first.
pub(super) struct MappedVec {
    first: NonNull<Slot>,
    length: usize,
}

/// Pages that are worth having apart.
const PAGES: u64 = 4;

// SAFETY: the memory is the list's own.
unsafe impl Send for MappedVec {}

impl Default for MappedVec {
    fn default() -> Self {
        Self {
            first: NonNull::dangling(),
            length: 0,
        }
    }
}

impl MappedVec {
    /// `None` where there is no memory for so many, and for none.
    pub fn of(length: usize) -> Option<Self> {
        let layout = Layout::array::<Slot>(length).ok();
        let layout = layout.filter(|layout| layout.size() > 0)?;
        let low = match is_apart(layout) {
            true => map(layout.size())?,
            // SAFETY: it has a size; zeros are empty slots.
            false => unsafe { alloc_zeroed(layout) },
        };
        let first = NonNull::new(low.cast())?;
        Some(Self { first, length })
    }

    /// Adds empty slots until there are `length`, where that are more; whether there was memory for them. Pages go along to where there is room
    /// for all: to copy them would be to touch new ones.
    pub fn grow_in_place(&mut self, length: usize) -> bool {
        length <= self.length
            || self.remap(length).is_some()
            || Self::of(length).is_some_and(|longer| self.move_to(longer))
    }

    /// The same for a list on pages of its own.
    fn remap(&mut self, length: usize) -> Option<()> {
        let layout = Layout::for_value(&**self);
        if !is_apart(layout) || seccomp::is_seccomp_active() {
            return None;
        }
        let bytes = Layout::array::<Slot>(length).ok()?.size();
        let (first, flags) = (self.first.as_ptr().cast(), libc::MREMAP_MAYMOVE);
        // SAFETY: what `of` has mapped; it is borrowed, so that nobody refers to it.
        let low = unsafe { libc::mremap(first, layout.size(), bytes, flags) };
        if low == libc::MAP_FAILED {
            return None;
        }
        let first = NonNull::new(low.cast())?;
        // The old list is nowhere any more, and not to be given back.
        std::mem::forget(std::mem::replace(self, Self { first, length }));
        Some(())
    }

    /// Lets go of all slots but the first `length`, if there is room for these.
    pub fn truncate(&mut self, length: usize) {
        if length < self.length
            && let Some(shorter) = Self::of(length)
        {
            self.move_to(shorter);
        }
    }

    /// As many slots as there are in both.
    fn move_to(&mut self, mut other: Self) -> bool {
        let length = self.length.min(other.length);
        other[..length].copy_from_slice(&self[..length]);
        *self = other;
        true
    }

    /// Where it lies: its first address and the one behind.
    pub fn range(&self) -> (u64, u64) {
        let low = self.first.as_ptr().addr() as u64;
        (low, low + size_of_val(&**self) as u64)
    }
}

fn is_apart(layout: Layout) -> bool {
    layout.size() as u64 >= PAGES * maps::page_size()
}

/// New pages, of zeros.
fn map(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: lets the kernel choose the place; nothing of ours can be in the way.
    let low = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    (low != libc::MAP_FAILED).then_some(low.cast())
}

impl Deref for MappedVec {
    type Target = [Slot];

    #[inline(always)]
    fn deref(&self) -> &[Slot] {
        // SAFETY: `of` has made so many, of zeros, which are empty slots; none need no memory.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl DerefMut for MappedVec {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Slot] {
        // SAFETY: as for `deref`, and the list is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.length) }
    }
}

impl Drop for MappedVec {
    fn drop(&mut self) {
        let layout = Layout::for_value(&**self);
        if is_apart(layout) {
            // SAFETY: what `of` has mapped, and nobody refers to any more.
            unsafe { libc::munmap(self.first.as_ptr().cast(), layout.size()) };
        } else if self.length > 0 {
            // SAFETY: what `of` has allocated, with the same layout.
            unsafe { dealloc(self.first.as_ptr().cast(), layout) };
        }
    }
}
