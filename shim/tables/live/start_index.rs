//! Where blocks start: found without a lock, among all addresses that have ever held one.
//!
//! Answers the one question that a hash table cannot: which block starts last at or before an address. Three levels by address bits:
//! 16 choose a 4 GiB part, 16 a 64 KiB region, 12 a granule of 16 bytes. A region that has had two starts at once costs 512 bytes and keeps
//! them; a start that is not a multiple of 16 is not kept here, so such a block is found by its start only.

mod bitmap; // a region's starts

use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use crate::sync::{ADDRESS_BITS, PART_BITS, REGION_BITS, zeroed};
use bitmap::{Region, Rooms};

const GRANULE_BITS: u32 = 4;
const GRANULES: u64 = 1 << (REGION_BITS - GRANULE_BITS);
const REGIONS: usize = 1 << (PART_BITS - REGION_BITS);

struct Part {
    regions: [Region; REGIONS],
    /// A bit for each region that has had a start.
    present: [AtomicU64; REGIONS / 64],
}

/// The set of starts.
pub struct Starts {
    parts: Box<Parts>,
    rooms: Rooms,
}

/// Most of them never take memory.
struct Parts([AtomicPtr<Part>; 1 << (ADDRESS_BITS - PART_BITS)]);

impl Default for Starts {
    fn default() -> Self {
        // SAFETY: it has a size, and its bytes are zero: all pointers are null.
        let parts = unsafe { zeroed(Parts::zero) };
        Self {
            // SAFETY: made above by the global allocator, and nobody else's.
            parts: unsafe { Box::from_raw(parts) },
            rooms: Rooms::default(),
        }
    }
}

impl Starts {
    /// Adds the start of a block of `size` bytes, and calls `inside` with every other start in it.
    #[inline]
    pub fn insert(&self, address: u64, size: u64, mut inside: impl FnMut(u64)) {
        let to = address.saturating_add(size);
        if address & 15 != 0 || address >> ADDRESS_BITS != 0 {
            return self.within(address.saturating_add(1), to, inside);
        }
        let part = self.part_or_new(address);
        let (index, (base, behind)) = (region_index(address), region_range(address));
        part.regions[index].insert(
            granule(address),
            granules(base, to),
            &self.rooms,
            // Who finds a start in a region sees that it is present, whoever said so.
            || {
                part.present[index / 64].fetch_or(1 << (index % 64), Relaxed);
            },
            |granule| inside(base + (granule << GRANULE_BITS)),
        );
        if behind < to {
            self.within(behind, to, inside);
        }
    }

    /// Takes a start out.
    #[inline]
    pub fn remove(&self, address: u64) {
        if address & 15 == 0
            && let Some(region) = self.region(address)
        {
            region.remove(granule(address));
        }
    }

    /// The last start at or before `address`, but not before `lowest`.
    pub fn last(&self, address: u64, lowest: u64) -> Option<u64> {
        // No block is known to start above these bits.
        let mut at = (address & !15).min((1 << ADDRESS_BITS) - 16);
        while at >= lowest {
            let base = at >> PART_BITS << PART_BITS;
            if let Some(offset) = self.part(at).and_then(|part| part.last(at)) {
                return Some(base + offset).filter(|&start| start >= lowest);
            }
            at = base.checked_sub(16)?;
        }
        None
    }

    /// Calls `each` with every start in `from..to`.
    #[inline]
    pub fn within(&self, from: u64, to: u64, mut each: impl FnMut(u64)) {
        // No block is known to start above these bits.
        let to = to.min(1 << ADDRESS_BITS);
        let mut at = from.checked_next_multiple_of(16).unwrap_or(to);
        while at < to {
            let Some(part) = self.part(at) else {
                at = ((at >> PART_BITS) + 1) << PART_BITS;
                continue;
            };
            let (base, behind) = region_range(at);
            let region = &part.regions[region_index(at)];
            region.within(granule(at)..granules(base, to), |granule| {
                each(base + (granule << GRANULE_BITS));
            });
            at = behind;
        }
    }

    /// Starts bringing what tells of `address` into the processor's caches, if anything does.
    #[inline(always)]
    pub fn prefetch(&self, address: u64) {
        if let Some(region) = self.region(address) {
            region.prefetch(granule(address));
        }
    }

    #[inline(always)]
    fn part_or_new(&self, address: u64) -> &Part {
        let slot = &self.parts.0[(address >> PART_BITS) as usize];
        let mut pointer = slot.load(Acquire);
        if pointer.is_null() {
            pointer = publish(slot);
        }
        // SAFETY: made by `publish` and never freed.
        unsafe { &*pointer }
    }

    #[inline(always)]
    fn part(&self, address: u64) -> Option<&Part> {
        let slot = self.parts.0.get((address >> PART_BITS) as usize)?;
        // SAFETY: parts are made by `publish` and never freed.
        unsafe { slot.load(Acquire).as_ref() }
    }

    #[inline(always)]
    fn region(&self, address: u64) -> Option<&Region> {
        Some(&self.part(address)?.regions[region_index(address)])
    }
}

impl Part {
    /// Bytes from the part's start to its last start at or before `address`.
    fn last(&self, address: u64) -> Option<u64> {
        let here = region_index(address);
        let mut mask = u64::MAX >> (63 - here % 64);
        for group in (0..=here / 64).rev() {
            let mut present = self.present[group].load(Relaxed) & mask;
            while present != 0 {
                let index = group * 64 + 63 - present.leading_zeros() as usize;
                let most = if index < here {
                    GRANULES - 1
                } else {
                    granule(address)
                };
                if let Some(granule) = self.regions[index].last(most) {
                    return Some(((index as u64) << REGION_BITS) + (granule << GRANULE_BITS));
                }
                present &= !(1 << (index % 64));
            }
            mask = u64::MAX;
        }
        None
    }

    fn zero() -> Self {
        Self {
            regions: std::array::from_fn(|_| Region::default()),
            present: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Parts {
    fn zero() -> Self {
        Self(std::array::from_fn(|_| AtomicPtr::default()))
    }
}

#[cold]
fn publish(slot: &AtomicPtr<Part>) -> *mut Part {
    // SAFETY: it has a size, and is made of atomics, all of them zero or null.
    let fresh = unsafe { zeroed(Part::zero) };
    match slot.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            // SAFETY: ours, and not published.
            drop(unsafe { Box::from_raw(fresh) });
            other
        }
    }
}

/// The region of an address within its part.
#[inline(always)]
fn region_index(address: u64) -> usize {
    (address >> REGION_BITS) as usize & (REGIONS - 1)
}

/// Where the region of an address begins, and where the next one does.
#[inline(always)]
fn region_range(address: u64) -> (u64, u64) {
    let base = address >> REGION_BITS << REGION_BITS;
    (base, base + (1 << REGION_BITS))
}

/// The granule of an address within its region.
#[inline(always)]
fn granule(address: u64) -> u64 {
    address >> GRANULE_BITS & (GRANULES - 1)
}

/// How many granules of the region at `base` begin before `to`.
#[inline(always)]
fn granules(base: u64, to: u64) -> u64 {
    let bytes = to.saturating_sub(base).min(1 << REGION_BITS);
    bytes.div_ceil(1 << GRANULE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_agrees_with_an_ordered_set_on_random_addresses() {
        let (starts, mut model, mut seed) =
            (Starts::default(), BTreeSet::new(), 0x1234_5678_9abc_def0u64);
        for round in 0..20_000 {
            let lowest = 0x1230_0000_0000;
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Three neighbourhoods, two of them 4 GiB apart.
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
                starts.last(probe, lowest),
                model.range(lowest..=probe).next_back().copied()
            );
            let mut seen = Vec::new();
            starts.within(address, address + 5000, |start| seen.push(start));
            assert!(seen.iter().eq(model.range(address..address + 5000)));
        }
    }

    #[test]
    fn one_start_to_a_region_takes_no_bits_and_is_kept_when_another_comes() {
        let starts = Starts::default();
        let regions = (1..=1_000).map(|region| region << REGION_BITS);
        for start in regions.clone() {
            starts.insert(start + 512, 1 << REGION_BITS, |inside| {
                panic!("{inside:#x}")
            });
        }
        assert_eq!(starts.rooms.made(), 0);
        for start in regions {
            assert_eq!(starts.last(start + 65_535, 0), Some(start + 512));
            assert_eq!(starts.last(start + 511, start), None);
        }
        let (one, other) = ((7 << REGION_BITS) + 512, (7 << REGION_BITS) + 48);
        let mut inside = Vec::new();
        starts.insert(other, 1 << 20, |start| inside.push(start));
        assert_eq!(inside.len(), 16);
        assert_eq!((starts.rooms.made(), inside[0]), (1, one));
        starts.remove(other);
        assert_eq!(starts.last(one + 8, other), Some(one));
        let alone = (9 << REGION_BITS) + 512;
        starts.remove(alone - 16);
        assert_eq!(starts.last(alone, alone), Some(alone));
        starts.remove(alone);
        assert_eq!(starts.last(alone, alone - 16), None);
    }

    #[test]
    fn nothing_below_the_lowest_is_found() {
        let starts = Starts::default();
        starts.insert(0x1000, 0, |_| {});
        assert_eq!(starts.last(0x1_0000, 0x1000), Some(0x1000));
        assert_eq!(starts.last(0x1_0000, 0x1010), None);
        assert_eq!(starts.last(0x7fff_ffff_ffff, 0x7ff0_0000_0000), None);
        assert_eq!(starts.last(u64::MAX, 0), Some(0x1000));
    }
}
