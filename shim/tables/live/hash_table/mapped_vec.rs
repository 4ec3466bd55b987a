//! A vector of slots that lives on its own pages once it fills a few. The vectors grow often and by a little; on a heap
//! that would leave holes that nothing fits in, about half as many bytes as all of them hold.

use super::Slot;
use aclsan_os::{maps, seccomp};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Slots, initially empty.
pub(super) struct MappedVec {
    first: NonNull<Slot>,
    length: usize,
}

/// From this many pages on, a vector gets its own.
const PAGES: u64 = 4;

// SAFETY: the memory belongs to the vector.
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
    /// Allocates `length` empty slots. `None` if there is no memory, or for 0.
    pub fn of(length: usize) -> Option<Self> {
        let layout = Layout::array::<Slot>(length).ok();
        let layout = layout.filter(|layout| layout.size() > 0)?;
        let low = match is_apart(layout) {
            true => map(layout.size())?,
            // SAFETY: the size is not 0; all-zero is an empty slot.
            false => unsafe { alloc_zeroed(layout) },
        };
        let first = NonNull::new(low.cast())?;
        Some(Self { first, length })
    }

    /// Appends empty slots until there are `length`, if there are fewer. Returns whether there was memory. Own pages
    /// are moved by `mremap` instead of copied, since a copy would touch new pages.
    pub fn grow_in_place(&mut self, length: usize) -> bool {
        length <= self.length
            || self.remap(length).is_some()
            || Self::of(length).is_some_and(|longer| self.move_to(longer))
    }

    /// Grows a vector on its own pages with `mremap`.
    fn remap(&mut self, length: usize) -> Option<()> {
        let layout = Layout::for_value(&**self);
        if !is_apart(layout) || seccomp::is_seccomp_active() {
            return None;
        }
        let bytes = Layout::array::<Slot>(length).ok()?.size();
        let (first, flags) = (self.first.as_ptr().cast(), libc::MREMAP_MAYMOVE);
        // SAFETY: mapped by `of`, and borrowed exclusively, so nobody refers to it.
        let low = unsafe { libc::mremap(first, layout.size(), bytes, flags) };
        if low == libc::MAP_FAILED {
            return None;
        }
        let first = NonNull::new(low.cast())?;
        // The old mapping is gone and must not be unmapped.
        std::mem::forget(std::mem::replace(self, Self { first, length }));
        Some(())
    }

    /// Drops all slots but the first `length`, if there is memory for a copy of these.
    pub fn truncate(&mut self, length: usize) {
        if length < self.length
            && let Some(shorter) = Self::of(length)
        {
            self.move_to(shorter);
        }
    }

    /// Copies as many slots as both have, and becomes `other`.
    fn move_to(&mut self, mut other: Self) -> bool {
        let length = self.length.min(other.length);
        other[..length].copy_from_slice(&self[..length]);
        *self = other;
        true
    }

    /// Its start and end address.
    pub fn range(&self) -> (u64, u64) {
        let low = self.first.as_ptr().addr() as u64;
        (low, low + size_of_val(&**self) as u64)
    }
}

fn is_apart(layout: Layout) -> bool {
    layout.size() as u64 >= PAGES * maps::page_size()
}

/// Maps zeroed pages.
fn map(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
    let low = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    (low != libc::MAP_FAILED).then_some(low.cast())
}

impl Deref for MappedVec {
    type Target = [Slot];

    #[inline(always)]
    fn deref(&self) -> &[Slot] {
        // SAFETY: `of` allocated this many zeroed slots, which are valid; an empty vector needs no memory.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl DerefMut for MappedVec {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Slot] {
        // SAFETY: as for `deref`, and the vector is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.length) }
    }
}

impl Drop for MappedVec {
    fn drop(&mut self) {
        let layout = Layout::for_value(&**self);
        if is_apart(layout) {
            // SAFETY: mapped by `of`, and no longer referenced.
            unsafe { libc::munmap(self.first.as_ptr().cast(), layout.size()) };
        } else if self.length > 0 {
            // SAFETY: allocated by `of` with the same layout.
            unsafe { dealloc(self.first.as_ptr().cast(), layout) };
        }
    }
}
