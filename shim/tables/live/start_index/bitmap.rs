//! The starts in one region: none, one, or a bit for each 16 bytes. Most device blocks are larger than a region, which
//! then has a single start and takes no memory for it.

use super::GRANULE_BITS;
use crate::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::{BITMAPS_PER_SLAB, LEVEL1_BITS, zeroed};
use aclsan_os::prefetch::prefetch;
use std::ops::Range;
use std::ptr::{null_mut, without_provenance_mut};

const WORDS: usize = 1 << (LEVEL1_BITS - GRANULE_BITS - 6);

/// A bit for each granule.
struct Bitmap([AtomicU64; WORDS]);

/// Bitmaps side by side, so that those of nearby regions share pages.
struct BitmapSlab {
    bits: [Bitmap; BITMAPS_PER_SLAB],
    used: AtomicUsize,
}

/// Allocates bitmaps. They are never freed.
pub struct BitmapArena(AtomicPtr<BitmapSlab>);

impl Default for BitmapArena {
    /// Starts with one slab. A region gets its second start long after its calls have warmed up.
    fn default() -> Self {
        // SAFETY: the size is not 0, and it consists of atomics that are zero.
        Self(AtomicPtr::new(unsafe { zeroed(BitmapSlab::zero) }))
    }
}

/// Null, a granule with the last bit set, or a bitmap. A region never gives its bitmap up, so no start that another
/// thread adds is lost.
#[derive(Default)]
pub struct Level1(AtomicPtr<Bitmap>);

enum Has<'a> {
    None,
    /// One start, at this granule.
    One(u64),
    Many(&'a Bitmap),
}

impl Level1 {
    #[inline(always)]
    fn has(&self) -> (*mut Bitmap, Has<'_>) {
        let seen = self.0.load(Acquire);
        let has = match seen.addr() as u64 {
            0 => Has::None,
            one if one & 1 != 0 => Has::One(one >> 1),
            // SAFETY: bitmaps come from `BitmapArena::fresh` and are never freed.
            _ => Has::Many(unsafe { &*seen }),
        };
        (seen, has)
    }

    /// Adds a start and calls `each` with those after it and before `end`. Calls `before_first` before the region gets
    /// its first start.
    #[inline(always)]
    pub fn insert(
        &self,
        granule: u64,
        end: u64,
        arena: &BitmapArena,
        before_first: impl Fn(),
        each: impl FnMut(u64),
    ) {
        match self.has() {
            (_, Has::Many(bits)) => {
                bits.insert(granule);
                bits.range(granule + 1..end, each);
            }
            (_, Has::One(one)) if one == granule => {}
            _ => {
                self.insert_slow(granule, arena, before_first);
                self.range(granule + 1..end, each);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_slow(&self, granule: u64, arena: &BitmapArena, before_first: impl Fn()) {
        loop {
            let (seen, has) = self.has();
            let then = match has {
                Has::Many(bits) => return bits.insert(granule),
                Has::One(one) if one == granule => return,
                Has::One(one) => {
                    let bits = arena.fresh();
                    // SAFETY: as in `Level1::has`.
                    unsafe { &*bits }.insert(one);
                    bits
                }
                Has::None => {
                    before_first();
                    without_provenance_mut((granule << 1 | 1) as usize)
                }
            };
            // If another thread was faster, our bitmap stays unused.
            let _ = self.0.compare_exchange(seen, then, AcqRel, Relaxed);
        }
    }

    /// Removes a start.
    #[inline]
    pub fn remove(&self, granule: u64) {
        match self.has() {
            (_, Has::Many(bits)) => bits.remove(granule),
            (seen, Has::One(one)) if one == granule => {
                let gone = self.0.compare_exchange(seen, null_mut(), AcqRel, Acquire);
                if gone.is_err()
                    && let (_, Has::Many(bits)) = self.has()
                {
                    bits.remove(granule);
                }
            }
            _ => {}
        }
    }

    /// The last start at or before a granule.
    pub fn predecessor(&self, granule: u64) -> Option<u64> {
        match self.has().1 {
            Has::None => None,
            Has::One(one) => Some(one).filter(|&one| one <= granule),
            Has::Many(bits) => bits.predecessor(granule),
        }
    }

    /// Calls `each` with every start in a range of granules.
    #[inline]
    pub fn range(&self, range: Range<u64>, mut each: impl FnMut(u64)) {
        match self.has().1 {
            Has::None => {}
            Has::One(one) if !range.contains(&one) => {}
            Has::One(one) => each(one),
            Has::Many(bits) => bits.range(range, each),
        }
    }

    /// Prefetches the bitmap word of a granule.
    #[inline(always)]
    pub fn prefetch(&self, granule: u64) {
        if let Has::Many(bits) = self.has().1 {
            prefetch((&raw const bits.0[(granule >> 6) as usize]).cast());
        }
    }
}

impl Bitmap {
    #[inline(always)]
    fn insert(&self, granule: u64) {
        let (word, bit) = (&self.0[(granule >> 6) as usize], 1 << (granule & 63));
        // Memory is mostly reused, and a load is cheaper than a store.
        if word.load(Acquire) & bit == 0 {
            word.fetch_or(bit, Release);
        }
    }

    #[inline(always)]
    fn remove(&self, granule: u64) {
        self.0[(granule >> 6) as usize].fetch_and(!(1 << (granule & 63)), Relaxed);
    }

    fn predecessor(&self, granule: u64) -> Option<u64> {
        let mut mask = u64::MAX >> (63 - (granule & 63));
        for word in (0..=granule >> 6).rev() {
            let bits = self.0[word as usize].load(Relaxed) & mask;
            if bits != 0 {
                return Some(word << 6 | u64::from(63 - bits.leading_zeros()));
            }
            mask = u64::MAX;
        }
        None
    }

    #[inline(always)]
    fn range(&self, range: Range<u64>, mut each: impl FnMut(u64)) {
        if range.is_empty() {
            return;
        }
        let (first, last) = (range.start >> 6, (range.end - 1) >> 6);
        let Some(words) = self.0.get(first as usize..=last as usize) else {
            return;
        };
        // Most words have no start, so nothing else is done for these.
        let mut before = u64::MAX << (range.start & 63);
        for (number, word) in (first..).zip(words) {
            let mut bits = word.load(Relaxed) & before;
            before = u64::MAX;
            while bits != 0 {
                let granule = number << 6 | u64::from(bits.trailing_zeros());
                if granule >= range.end {
                    return;
                }
                each(granule);
                bits &= bits - 1;
            }
        }
    }

    fn zero() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl BitmapArena {
    fn fresh(&self) -> *mut Bitmap {
        loop {
            let pointer = self.0.load(Acquire);
            // SAFETY: a published slab, which is never freed.
            let room = unsafe { &*pointer };
            let number = room.used.fetch_add(1, Relaxed);
            if let Some(bits) = room.bits.get(number) {
                return std::ptr::from_ref(bits).cast_mut();
            }
            // SAFETY: as for the first slab.
            let fresh = unsafe { zeroed(BitmapSlab::zero) };
            let published = self.0.compare_exchange(pointer, fresh, AcqRel, Acquire);
            if published.is_err() {
                // SAFETY: ours, and not published.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

#[cfg(test)]
impl BitmapArena {
    /// Number of bitmaps handed out.
    pub fn made(&self) -> usize {
        // SAFETY: as in `BitmapArena::fresh`.
        unsafe { &*self.0.load(Acquire) }.used.load(Relaxed)
    }
}

impl BitmapSlab {
    fn zero() -> Self {
        Self {
            bits: std::array::from_fn(|_| Bitmap::zero()),
            used: AtomicUsize::new(0),
        }
    }
}
