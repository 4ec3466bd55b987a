//! The shim's own memory, kept apart from the program's heap under `leak_scan=1`. Our tables are full of block
//! addresses, so on the shared heap every block would look reachable.
//!
//! One address range is reserved and used from its front. Sizes are powers of two, each with a free list. If the range
//! is full or could not be reserved, libc's heap serves instead and no scan runs.
//!
//! If libc is out of memory too, an emergency pool serves the call under way and recording stops: a program that can
//! live without memory must not end because we cannot.

use crate::lock::fault_if_asked_to;
use crate::{crash_memory, maps, rlimit, status};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

/// Sizes to try to reserve; the first that succeeds is kept.
const SIZES: [u64; 4] = [64 << 30, 4 << 30, 256 << 20, 32 << 20];
/// If the address space is limited, take at most this fraction of it (1/16).
const SHARE: u64 = 16;
/// The range is made usable in steps of this size.
const STEP: u64 = 4 << 20;
/// Pieces of at least this size return their pages to the kernel when freed.
const LARGE: usize = 1 << 20;
/// Powers of two, more than any range needs.
const CLASSES: usize = 48;
/// The largest alignment supported.
const PAGE: u64 = 4096;

/// A reserved address range.
struct Range {
    low: AtomicU64,
    high: AtomicU64,
    /// The kernel's page size, 64 KiB on many Arm machines. `madvise` takes whole pages only.
    page: AtomicU64,
    /// End of the usable part, and end of the used part.
    ready: AtomicU64,
    used: AtomicU64,
    is_locked: AtomicBool,
    has_overflowed: AtomicBool,
    lists: UnsafeCell<[*mut u8; CLASSES]>,
}

// SAFETY: `lists` is only accessed under the lock.
unsafe impl Sync for Range {}

/// Size of the emergency pool. Its pages take no memory until used.
const EMERGENCY_BYTES: usize = 8 << 20;

/// Memory for when libc has none left. Nothing is ever returned to it.
struct EmergencyPool {
    bytes: UnsafeCell<[u8; EMERGENCY_BYTES]>,
    used: AtomicUsize,
}

// SAFETY: each byte is handed out once.
unsafe impl Sync for EmergencyPool {}

static EMERGENCY: EmergencyPool = EmergencyPool {
    bytes: UnsafeCell::new([0; EMERGENCY_BYTES]),
    used: AtomicUsize::new(0),
};

impl EmergencyPool {
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        status::report_out_of_memory();
        let start = self.bytes.get() as usize;
        let place = |used: usize| (start + used).next_multiple_of(layout.align()) - start;
        let more = |used: usize| {
            place(used)
                .checked_add(layout.size())
                .filter(|&end| end <= EMERGENCY_BYTES)
        };
        match self.used.fetch_update(Relaxed, Relaxed, more) {
            // SAFETY: inside the pool, as `more` checked.
            Ok(used) => unsafe { self.bytes.get().cast::<u8>().add(place(used)) },
            Err(_) => null_mut(),
        }
    }

    fn has(&self, piece: *mut u8) -> bool {
        (piece as usize).wrapping_sub(self.bytes.get() as usize) < EMERGENCY_BYTES
    }
}

impl Range {
    const fn new() -> Self {
        Self {
            low: AtomicU64::new(0),
            high: AtomicU64::new(0),
            page: AtomicU64::new(PAGE),
            ready: AtomicU64::new(0),
            used: AtomicU64::new(0),
            is_locked: AtomicBool::new(false),
            has_overflowed: AtomicBool::new(false),
            lists: UnsafeCell::new([null_mut(); CLASSES]),
        }
    }

    /// Reserves `size` bytes of address space without memory. Returns whether that succeeded.
    fn open(&self, size: u64) -> bool {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
        let low = unsafe { libc::mmap(null_mut(), size as usize, libc::PROT_NONE, flags, -1, 0) };
        if low == libc::MAP_FAILED {
            return false;
        }
        let low = low as u64;
        self.ready.store(low, Relaxed);
        self.used.store(low, Relaxed);
        self.high.store(low + size, Relaxed);
        self.page.store(maps::page_size().max(PAGE), Relaxed);
        self.low.store(low, Release);
        true
    }

    fn range(&self) -> (u64, u64) {
        (self.low.load(Acquire), self.high.load(Relaxed))
    }

    fn has(&self, address: *mut u8) -> bool {
        let (low, high) = self.range();
        (low..high).contains(&(address as u64))
    }

    fn locked<T>(&self, work: impl FnOnce(&mut [*mut u8; CLASSES]) -> T) -> T {
        while self.is_locked.swap(true, Acquire) {
            std::thread::yield_now();
        }
        fault_if_asked_to();
        // SAFETY: we hold the lock, so nobody else accesses the lists.
        let done = work(unsafe { &mut *self.lists.get() });
        self.is_locked.store(false, Release);
        done
    }

    /// Returns null if the range is full or was never opened.
    fn take(&self, layout: Layout) -> *mut u8 {
        if self.low.load(Acquire) == 0 {
            return null_mut();
        }
        let class = class(layout);
        if class >= CLASSES || layout.align() as u64 > PAGE {
            return null_mut();
        }
        let taken = self.locked(|lists| {
            let first = lists[class];
            if first.is_null() {
                return self.extend(1 << class);
            }
            // SAFETY: a freed piece stores the next one of its list in its first word.
            lists[class] = unsafe { first.cast::<*mut u8>().read() };
            first
        });
        if taken.is_null() {
            self.has_overflowed.store(true, Relaxed);
        }
        taken
    }

    /// Call with the lock held.
    fn extend(&self, size: u64) -> *mut u8 {
        let alignment = match size >= LARGE as u64 {
            true => self.page.load(Relaxed),
            false => size.min(PAGE),
        };
        let start = self.used.load(Relaxed).next_multiple_of(alignment);
        let (end, ready) = (start + size, self.ready.load(Relaxed));
        if end > self.high.load(Relaxed) {
            return null_mut();
        }
        if end > ready {
            let more = (end - ready).next_multiple_of(STEP);
            let more = more.min(self.high.load(Relaxed) - ready);
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: inside our own reserved range, past the used part.
            if unsafe { libc::mprotect(ready as *mut _, more as usize, protection) } != 0 {
                return null_mut();
            }
            self.ready.store(ready + more, Relaxed);
        }
        self.used.store(end, Relaxed);
        start as *mut u8
    }

    /// Takes back a piece that `take` returned.
    fn give(&self, piece: *mut u8, layout: Layout) {
        let class = class(layout);
        if 1 << class >= LARGE {
            // SAFETY: a whole piece of ours, page-aligned and no longer used.
            unsafe { libc::madvise(piece.cast(), 1 << class, libc::MADV_DONTNEED) };
        }
        self.locked(|lists| {
            // SAFETY: a piece has room for a word, and belongs to us again.
            unsafe { piece.cast::<*mut u8>().write(lists[class]) };
            lists[class] = piece;
        });
    }

    /// Resets the arena in a forked child, where a thread of the parent may have held the lock. Pieces freed before the
    /// fork stay unused.
    fn forked(&self) {
        // SAFETY: this is the only thread.
        unsafe { *self.lists.get() = [null_mut(); CLASSES] };
        self.is_locked.store(false, Release);
    }
}

/// The size class of a piece: log2 of the size it takes.
fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(16);
    size.next_power_of_two().trailing_zeros() as usize
}

static RANGE: Range = Range::new();

/// Puts the shim's own memory into a separate range from here on.
pub fn open() {
    static IS_OPENED: AtomicBool = AtomicBool::new(false);
    if !IS_OPENED.swap(true, Relaxed) {
        // A limit on addresses or data is meant for the program.
        let limit = rlimit::soft_limit(libc::RLIMIT_AS).min(rlimit::soft_limit(libc::RLIMIT_DATA));
        let most = if limit == rlimit::UNLIMITED {
            limit
        } else {
            limit / SHARE
        };
        let mut sizes = SIZES.iter().filter(|&&size| size <= most);
        sizes.any(|&size| RANGE.open(size));
    }
}

/// Call in a forked child.
pub fn forked() {
    RANGE.forked();
}

/// The shim's own addresses. `None` if some of its tables are elsewhere.
pub fn range() -> Option<(u64, u64)> {
    let range = RANGE.range();
    (range.0 != 0 && !RANGE.has_overflowed.load(Relaxed)).then_some(range)
}

/// Runs `work` while no other thread is inside this allocator, so that one that `work` stops does not hold its lock. `work` must not allocate.
pub fn with_lock<T>(work: impl FnOnce() -> T) -> T {
    RANGE.locked(|_| work())
}

/// Falls back to the emergency pool if libc returned null. The pool is all zeros, as nothing is ever returned to it.
#[inline]
fn or_emergency(libcs: *mut u8, layout: Layout) -> *mut u8 {
    match libcs.is_null() {
        false => libcs,
        true => EMERGENCY.take(layout),
    }
}

/// The global allocator for a library that runs inside other people's programs. The `static` with `#[global_allocator]`
/// belongs to the final library, not to this crate.
pub struct Arena;

// SAFETY: pieces are as large and aligned as requested, have one owner at a time, and return to where they came from,
// which their address tells.
unsafe impl GlobalAlloc for Arena {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // First: the crash may have interrupted this very thread inside the range.
        let piece = crash_memory::take(layout);
        if !piece.is_null() {
            return piece;
        }
        let piece = RANGE.take(layout);
        if piece.is_null() {
            // SAFETY: the caller's layout, passed on.
            return or_emergency(unsafe { System.alloc(layout) }, layout);
        }
        piece
    }

    /// Does not touch pages that libc got fresh from the kernel, so sparse tables stay sparse.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // First: the crash may have interrupted this very thread inside the range.
        let piece = crash_memory::take(layout);
        if !piece.is_null() {
            return piece;
        }
        let piece = RANGE.take(layout);
        if piece.is_null() {
            // SAFETY: the caller's layout, passed on.
            return or_emergency(unsafe { System.alloc_zeroed(layout) }, layout);
        }
        // SAFETY: a piece of that size that nobody else has.
        unsafe { piece.write_bytes(0, layout.size()) };
        piece
    }

    // `never`: hooks drop vectors that are empty, whose check is inlined only as long as this is a call.
    #[inline(never)]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if crash_memory::keeps(piece) || EMERGENCY.has(piece) {
            return;
        }
        if RANGE.has(piece) {
            return RANGE.give(piece, layout);
        }
        // SAFETY: the caller's piece, which came from libc.
        unsafe { System.dealloc(piece, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    #[test]
    fn pieces_are_apart_aligned_and_used_again() {
        let arena = Range::new();
        assert!(arena.take(layout(8, 8)).is_null(), "not opened");
        assert!(arena.open(8 << 20));
        let (one, two) = (arena.take(layout(24, 8)), arena.take(layout(40, 64)));
        assert!(arena.has(one) && arena.has(two));
        assert_eq!(two as u64 % 64, 0);
        assert!(two as u64 >= one as u64 + 32);
        arena.give(one, layout(24, 8));
        assert_eq!(arena.take(layout(32, 16)), one, "the same power of two");
    }

    #[test]
    fn large_pieces_begin_where_a_page_of_any_kernel_does() {
        let arena = Range::new();
        assert!(arena.open(8 << 20));
        assert_eq!(arena.page.swap(64 << 10, Relaxed), maps::page_size());
        let small = [24, 4096].map(|size| arena.take(layout(size, 8)));
        let large = arena.take(layout(LARGE, 8));
        assert_eq!(large as u64 % (64 << 10), 0, "{small:?} {large:?}");
        assert!(arena.take(layout(24, 8)) as u64 >= large as u64 + LARGE as u64);
    }

    #[test]
    fn the_reserve_gives_each_byte_once_until_it_is_empty() {
        let (one, two) = (
            EMERGENCY.take(layout(24, 8)),
            EMERGENCY.take(layout(40, 64)),
        );
        assert!(EMERGENCY.has(one) && EMERGENCY.has(two) && (two as usize).is_multiple_of(64));
        assert!(two as usize >= one as usize + 24);
        assert!(EMERGENCY.take(layout(EMERGENCY_BYTES, 8)).is_null());
        assert!(!EMERGENCY.take(layout(EMERGENCY_BYTES / 2, 8)).is_null());
    }

    #[test]
    fn a_full_range_says_so_and_a_fork_forgets_what_was_given_back() {
        let arena = Range::new();
        assert!(arena.open(8 << 20));
        // Two pieces of 4 MiB fill 8 MiB.
        let (one, two) = (
            arena.take(layout(3 << 20, 8)),
            arena.take(layout(4 << 20, 8)),
        );
        assert!(!one.is_null() && !two.is_null() && !arena.has_overflowed.load(Relaxed));
        assert!(arena.take(layout(16, 8)).is_null());
        assert!(arena.has_overflowed.load(Relaxed));
        arena.give(one, layout(3 << 20, 8));
        arena.forked();
        assert!(arena.take(layout(3 << 20, 8)).is_null());
    }
}
