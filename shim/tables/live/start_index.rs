//! A lock-free index of block starts, over all addresses that have ever been one.
//!
//! It answers what a hash table cannot: which block starts last at or before an address. Three levels by address bits:
//! 16 bits select a 4 GiB part (level 2), 16 a 64 KiB region (level 1), 12 a granule of 16 bytes. A region that ever
//! had two starts at once takes 512 bytes and keeps them. A start that is not a multiple of 16 is not indexed, so such
//! a block is found by its exact start only.

mod bitmap; // the starts of a region

use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use crate::sync::{ADDRESS_BITS, LEVEL1_BITS, LEVEL2_BITS, zeroed};
use bitmap::{BitmapArena, Level1};

const GRANULE_BITS: u32 = 4;
const GRANULES: u64 = 1 << (LEVEL1_BITS - GRANULE_BITS);
const LEVEL1_COUNT: usize = 1 << (LEVEL2_BITS - LEVEL1_BITS);

struct Level2 {
    level1: [Level1; LEVEL1_COUNT],
    /// A bit for each region that ever had a start.
    present: [AtomicU64; LEVEL1_COUNT / 64],
}

/// The set of starts.
pub struct StartIndex {
    root: Box<Root>,
    bitmaps: BitmapArena,
}

/// Most of its pages never take memory.
struct Root([AtomicPtr<Level2>; 1 << (ADDRESS_BITS - LEVEL2_BITS)]);

impl Default for StartIndex {
    fn default() -> Self {
        // SAFETY: the size is not 0, and all-zero bytes are null pointers.
        let root = unsafe { zeroed(Root::zero) };
        Self {
            // SAFETY: allocated above by the global allocator, and owned here alone.
            root: unsafe { Box::from_raw(root) },
            bitmaps: BitmapArena::default(),
        }
    }
}

impl StartIndex {
    /// Adds the start of a block of `size` bytes, and calls `inside` with every other start inside the block.
    #[inline(always)]
    pub fn insert(&self, address: u64, size: u64, mut inside: impl FnMut(u64)) {
        let to = address.saturating_add(size);
        if address & 15 != 0 || address >> ADDRESS_BITS != 0 {
            return self.range(address.saturating_add(1), to, inside);
        }
        let level2 = self.level2_or_new(address);
        let (index, (base, behind)) = (level1_index(address), level1_range(address));
        level2.level1[index].insert(
            granule(address),
            granules(base, to),
            &self.bitmaps,
            // Whoever finds a start in a region also sees its bit, whichever thread set it.
            || {
                level2.present[index / 64].fetch_or(1 << (index % 64), Relaxed);
            },
            |granule| inside(base + (granule << GRANULE_BITS)),
        );
        if behind < to {
            self.range(behind, to, inside);
        }
    }

    /// Removes a start.
    #[inline]
    pub fn remove(&self, address: u64) {
        if address & 15 == 0
            && let Some(region) = self.level1(address)
        {
            region.remove(granule(address));
        }
    }

    /// The last start at or before `address` and not before `lowest`.
    pub fn predecessor(&self, address: u64, lowest: u64) -> Option<u64> {
        // No indexed block starts above these bits.
        let mut at = (address & !15).min((1 << ADDRESS_BITS) - 16);
        while at >= lowest {
            let base = at >> LEVEL2_BITS << LEVEL2_BITS;
            let first = level1_index(lowest.max(base));
            let level2 = self.level2(at);
            if let Some(offset) = level2.and_then(|level2| level2.predecessor(at, first)) {
                return Some(base + offset).filter(|&start| start >= lowest);
            }
            at = base.checked_sub(16)?;
        }
        None
    }

    /// Calls `each` with every start in `from..to`.
    #[inline]
    pub fn range(&self, from: u64, to: u64, mut each: impl FnMut(u64)) {
        // No indexed block starts above these bits.
        let to = to.min(1 << ADDRESS_BITS);
        let mut at = from.checked_next_multiple_of(16).unwrap_or(to);
        while at < to {
            let Some(level2) = self.level2(at) else {
                at = ((at >> LEVEL2_BITS) + 1) << LEVEL2_BITS;
                continue;
            };
            let (base, behind) = level1_range(at);
            let region = &level2.level1[level1_index(at)];
            region.range(granule(at)..granules(base, to), |granule| {
                each(base + (granule << GRANULE_BITS));
            });
            at = behind;
        }
    }

    /// Prefetches the bitmap word of `address`, if there is one.
    #[inline(always)]
    pub fn prefetch(&self, address: u64) {
        if let Some(region) = self.level1(address) {
            region.prefetch(granule(address));
        }
    }

    #[inline(always)]
    fn level2_or_new(&self, address: u64) -> &Level2 {
        let slot = &self.root.0[(address >> LEVEL2_BITS) as usize];
        let mut pointer = slot.load(Acquire);
        if pointer.is_null() {
            pointer = publish(slot);
        }
        // SAFETY: created by `publish` and never freed.
        unsafe { &*pointer }
    }

    #[inline(always)]
    fn level2(&self, address: u64) -> Option<&Level2> {
        let slot = self.root.0.get((address >> LEVEL2_BITS) as usize)?;
        // SAFETY: created by `publish` and never freed.
        unsafe { slot.load(Acquire).as_ref() }
    }

    #[inline(always)]
    fn level1(&self, address: u64) -> Option<&Level1> {
        Some(&self.level2(address)?.level1[level1_index(address)])
    }
}

impl Level2 {
    /// The last start in this part at or before `address`, in bytes from the start of the part, in region number `first` or a later one.
    fn predecessor(&self, address: u64, first: usize) -> Option<u64> {
        let here = level1_index(address);
        let mut mask = u64::MAX >> (63 - here % 64);
        for group in (first / 64..=here / 64).rev() {
            if group == first / 64 {
                mask &= u64::MAX << (first % 64);
            }
            let mut present = self.present[group].load(Relaxed) & mask;
            while present != 0 {
                let index = group * 64 + 63 - present.leading_zeros() as usize;
                let most = if index < here {
                    GRANULES - 1
                } else {
                    granule(address)
                };
                if let Some(granule) = self.level1[index].predecessor(most) {
                    return Some(((index as u64) << LEVEL1_BITS) + (granule << GRANULE_BITS));
                }
                present &= !(1 << (index % 64));
            }
            mask = u64::MAX;
        }
        None
    }

    fn zero() -> Self {
        Self {
            level1: std::array::from_fn(|_| Level1::default()),
            present: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Root {
    fn zero() -> Self {
        Self(std::array::from_fn(|_| AtomicPtr::default()))
    }
}

#[cold]
fn publish(slot: &AtomicPtr<Level2>) -> *mut Level2 {
    // SAFETY: the size is not 0, and it consists of atomics that are zero or null.
    let fresh = unsafe { zeroed(Level2::zero) };
    match slot.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            // SAFETY: ours, and not published.
            drop(unsafe { Box::from_raw(fresh) });
            other
        }
    }
}

/// The index of an address's region within its part.
#[inline(always)]
fn level1_index(address: u64) -> usize {
    (address >> LEVEL1_BITS) as usize & (LEVEL1_COUNT - 1)
}

/// Start of an address's region, and start of the next one.
#[inline(always)]
fn level1_range(address: u64) -> (u64, u64) {
    let base = address >> LEVEL1_BITS << LEVEL1_BITS;
    (base, base + (1 << LEVEL1_BITS))
}

/// The granule of an address within its region.
#[inline(always)]
fn granule(address: u64) -> u64 {
    address >> GRANULE_BITS & (GRANULES - 1)
}

/// Number of granules of the region at `base` that begin before `to`.
#[inline(always)]
fn granules(base: u64, to: u64) -> u64 {
    let bytes = to.saturating_sub(base).min(1 << LEVEL1_BITS);
    bytes.div_ceil(1 << GRANULE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_agrees_with_an_ordered_set_on_random_addresses() {
        let (starts, mut model, mut seed) = (
            StartIndex::default(),
            BTreeSet::new(),
            0x1234_5678_9abc_def0u64,
        );
        for round in 0..20_000 {
            let lowest = 0x1230_0000_0000;
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Three neighborhoods, two of them 4 GiB apart.
            let address = [0x1240_0000_0000, 0x1240_ffff_0000, 0x1250_0000_0000][round % 3]
                + (seed >> 40 & 0x3_fff0);
            if seed & 3 == 0 {
                starts.remove(address);
                model.remove(&address);
            } else {
                let (size, mut inside) = (seed >> 20 & 0x1_ffff, Vec::new());
                starts.insert(address, size, |start| inside.push(start));
                model.insert(address);
                assert!(
                    inside
                        .iter()
                        .eq(model.range(address..address + size).skip(1)),
                    "{address:#x} {size}"
                );
            }
            let probe = address + (seed & 0xffff);
            assert_eq!(
                starts.predecessor(probe, lowest),
                model.range(lowest..=probe).next_back().copied()
            );
            let near = probe - (seed >> 8 & 0x7_ffff);
            assert_eq!(
                starts.predecessor(probe, near),
                model.range(near..=probe).next_back().copied()
            );
            let mut seen = Vec::new();
            starts.range(address, address + 5000, |start| seen.push(start));
            assert!(seen.iter().eq(model.range(address..address + 5000)));
        }
    }

    #[test]
    fn one_start_to_a_region_takes_no_bits_and_is_kept_when_another_comes() {
        let starts = StartIndex::default();
        let level1 = (1..=1_000).map(|region| region << LEVEL1_BITS);
        for start in level1.clone() {
            starts.insert(start + 512, 1 << LEVEL1_BITS, |inside| {
                panic!("{inside:#x}")
            });
        }
        assert_eq!(starts.bitmaps.made(), 0);
        for start in level1 {
            assert_eq!(starts.predecessor(start + 65_535, 0), Some(start + 512));
            assert_eq!(starts.predecessor(start + 511, start), None);
        }
        let (one, other) = ((7 << LEVEL1_BITS) + 512, (7 << LEVEL1_BITS) + 48);
        let mut inside = Vec::new();
        starts.insert(other, 1 << 20, |start| inside.push(start));
        assert_eq!(inside.len(), 16);
        assert_eq!((starts.bitmaps.made(), inside[0]), (1, one));
        starts.remove(other);
        assert_eq!(starts.predecessor(one + 8, other), Some(one));
        let alone = (9 << LEVEL1_BITS) + 512;
        starts.remove(alone - 16);
        assert_eq!(starts.predecessor(alone, alone), Some(alone));
        starts.remove(alone);
        assert_eq!(starts.predecessor(alone, alone - 16), None);
    }

    #[test]
    fn nothing_below_the_lowest_is_found() {
        let starts = StartIndex::default();
        starts.insert(0x1000, 0, |_| {});
        assert_eq!(starts.predecessor(0x1_0000, 0x1000), Some(0x1000));
        assert_eq!(starts.predecessor(0x1_0000, 0x1010), None);
        assert_eq!(starts.predecessor(0x7fff_ffff_ffff, 0x7ff0_0000_0000), None);
        assert_eq!(starts.predecessor(u64::MAX, 0), Some(0x1000));
    }
}
