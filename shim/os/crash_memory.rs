//! Memory for the report of a crash. libc's heap may be corrupt then, or locked by the very thread that reports.
//!
//! While it reports, the thread takes all its memory from a range of its own and returns none.

use crate::system_call::system_call;
use std::alloc::Layout;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// Sizes to try. Naming frames reads debug information, which may be large; pages that are not used take no memory.
const SIZES: [u64; 3] = [1 << 30, 64 << 20, 8 << 20];

/// The range; 0 before the first crash.
static LOW: AtomicU64 = AtomicU64::new(0);
static HIGH: AtomicU64 = AtomicU64::new(0);
static USED: AtomicU64 = AtomicU64::new(0);
/// The thread that reports; 0 if none does.
static THREAD: AtomicU64 = AtomicU64::new(0);

/// The calling thread reports until this is dropped.
pub struct CrashMemory(());

impl CrashMemory {
    pub fn begin() -> Self {
        if LOW.load(Acquire) == 0 {
            SIZES.iter().any(|&size| map(size));
        }
        THREAD.store(own_thread(), Release);
        Self(())
    }
}

impl Drop for CrashMemory {
    fn drop(&mut self) {
        THREAD.store(0, Release);
    }
}

fn map(size: u64) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
    let low = unsafe { libc::mmap(null_mut(), size as usize, protection, flags, -1, 0) };
    if low == libc::MAP_FAILED {
        return false;
    }
    USED.store(low as u64, Relaxed);
    HIGH.store(low as u64 + size, Relaxed);
    LOW.store(low as u64, Release);
    true
}

fn own_thread() -> u64 {
    // SAFETY: asks the kernel for a number.
    (unsafe { system_call(libc::SYS_gettid, [0; 4]) }) as u64
}

/// Whether there was a crash. Every allocation asks.
#[inline(always)]
fn is_open() -> bool {
    LOW.load(Relaxed) != 0
}

/// Whether the calling thread reports a crash.
pub fn is_reporting() -> bool {
    let thread = THREAD.load(Acquire);
    thread != 0 && thread == own_thread()
}

/// A piece for the thread that reports; null for others, and if the range is full. All zeros.
#[inline(always)]
pub(crate) fn take(layout: Layout) -> *mut u8 {
    match is_open() {
        true => take_reporting(layout),
        false => null_mut(),
    }
}

#[cold]
fn take_reporting(layout: Layout) -> *mut u8 {
    if !is_reporting() {
        return null_mut();
    }
    let start = USED
        .load(Relaxed)
        .next_multiple_of(layout.align().max(16) as u64);
    let end = start.saturating_add(layout.size() as u64);
    if end > HIGH.load(Relaxed) {
        return null_mut();
    }
    USED.store(end, Relaxed);
    start as *mut u8
}

/// Whether a piece that is given back stays as it is: it comes from here, or libc's heap must not be touched.
#[inline(always)]
pub(crate) fn keeps(piece: *mut u8) -> bool {
    is_open() && keeps_reporting(piece)
}

#[cold]
fn keeps_reporting(piece: *mut u8) -> bool {
    let own = LOW.load(Relaxed)..HIGH.load(Relaxed);
    own.contains(&(piece as u64)) || is_reporting()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{self, Arena};
    use std::alloc::GlobalAlloc;

    #[test]
    fn only_the_thread_that_reports_takes_from_it() {
        let layout = Layout::from_size_align(24, 64).unwrap();
        assert!(take(layout).is_null());
        let reporting = CrashMemory::begin();
        let (one, two) = (take(layout), take(layout));
        assert!(!one.is_null() && one != two && (one as usize).is_multiple_of(64));
        let other = std::thread::spawn(move || take(layout).is_null());
        // Joining allocates nothing that is freed here.
        assert!(other.join().unwrap());
        assert!(keeps(one) && keeps(16 as *mut u8));
        drop(reporting);
        assert!(keeps(two) && !keeps(16 as *mut u8));
        assert!(take(layout).is_null());
        crash_inside_the_arena(layout);
    }

    /// Its lock is held then, as when an instruction under it faults.
    fn crash_inside_the_arena(layout: Layout) {
        arena::open();
        let (low, high) = arena::range().expect("it is opened");
        let is_arenas = |piece: *mut u8| (low..high).contains(&(piece as u64));
        // SAFETY: the layout has a size.
        let before = unsafe { Arena.alloc(layout) };
        assert!(is_arenas(before));
        arena::with_lock(|| {
            let _reporting = CrashMemory::begin();
            // SAFETY: as above.
            let piece = unsafe { Arena.alloc_zeroed(layout) };
            assert!(!piece.is_null() && !is_arenas(piece));
            for piece in [piece, before] {
                // SAFETY: from the same allocator, with the same layout.
                unsafe { Arena.dealloc(piece, layout) };
            }
        });
    }
}
