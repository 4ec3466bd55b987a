//! Where blocks start: one bit for each 16 bytes of address space that has ever held one, found without a lock.
//!
//! Answers the one question that a hash table cannot: which block starts last at or before an address. Three levels by address bits:
//! 16 choose a 4 GiB part, 16 a 64 KiB region, 12 a bit. A region costs 512 bytes and stays; a start that is not a multiple of 16 is
//! not kept here, so such a block is found by its start only.

use crate::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::{ADDRESS_BITS, PART_BITS, REGION_BITS, REGIONS_OF_ROOM, zeroed};

const GRANULE_BITS: u32 = 4;
const GRANULES: u64 = 1 << (REGION_BITS - GRANULE_BITS);
const REGIONS: usize = 1 << (PART_BITS - REGION_BITS);
/// Of the address space that a word has a bit for.
const WORD_BITS: u32 = GRANULE_BITS + 6;
const WORDS: usize = 1 << (REGION_BITS - WORD_BITS);

struct Region([AtomicU64; WORDS]);
/// Regions side by side, so that those of one neighbourhood lie in few pages.
struct Room {
    regions: [Region; REGIONS_OF_ROOM],
    used: AtomicUsize,
}
struct Part {
    regions: [AtomicPtr<Region>; REGIONS],
    /// A bit for each region that there is.
    present: [AtomicU64; REGIONS / 64],
}

/// The set of starts.
pub struct Starts {
    parts: Box<Parts>,
    /// Where the next region comes from.
    room: AtomicPtr<Room>,
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
            room: AtomicPtr::default(),
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
        let (word, bit) = place(address);
        let part = self.parts.0[(address >> PART_BITS) as usize].get_or_new();
        let index = region_index(address);
        let region = self.region_or_new(&part.regions[index]);
        // Who sees a bit of the word sees that the region is present, whoever said so.
        let known = region.0[word].load(Acquire);
        // Memory that is used again, as most is: a look is cheaper than a write.
        if known & 1 << bit == 0 {
            let (present, mark) = (&part.present[index / 64], 1 << (index % 64));
            if known == 0 && present.load(Relaxed) & mark == 0 {
                present.fetch_or(mark, Relaxed);
            }
            region.0[word].fetch_or(1 << bit, Release);
        }
        region.within(address, u64::MAX << bit << 1, to, &mut inside);
        if next_region(address) < to {
            self.within(next_region(address), to, inside);
        }
    }

    /// Takes a start out.
    #[inline]
    pub fn remove(&self, address: u64) {
        if address & 15 != 0 {
            return;
        }
        if let Some(region) = self.region(address) {
            let (word, bit) = place(address);
            region.0[word].fetch_and(!(1 << bit), Relaxed);
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
            at = if let Some(region) = self.region(at) {
                region.within(at, u64::MAX << place(at).1, to, &mut each);
                next_region(at)
            } else if self.part(at).is_some() {
                next_region(at)
            } else {
                ((at >> PART_BITS) + 1) << PART_BITS
            };
        }
    }

    /// Starts bringing the word that holds `address` into the processor's caches, if there is one.
    #[inline(always)]
    pub fn prefetch(&self, address: u64) {
        if let Some(region) = self.region(address) {
            super::prefetch((&raw const region.0[place(address).0]).cast());
        }
    }

    #[inline(always)]
    fn region_or_new<'a>(&'a self, slot: &'a AtomicPtr<Region>) -> &'a Region {
        let mut pointer = slot.load(Acquire);
        if pointer.is_null() {
            pointer = self.publish_region(slot);
        }
        // SAFETY: one of a room's, and rooms that were published are never freed.
        unsafe { &*pointer }
    }

    #[cold]
    fn publish_region(&self, slot: &AtomicPtr<Region>) -> *mut Region {
        let fresh = self.fresh_region();
        // Where another thread was faster, ours stays unused.
        slot.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire)
            .map_or_else(|other| other, |_| fresh)
    }

    fn fresh_region(&self) -> *mut Region {
        loop {
            let pointer = self.room.load(Acquire);
            // SAFETY: null, or a room that was published, and is never freed.
            if let Some(room) = unsafe { pointer.as_ref() } {
                let number = room.used.fetch_add(1, Relaxed);
                if let Some(region) = room.regions.get(number) {
                    return std::ptr::from_ref(region).cast_mut();
                }
            }
            // SAFETY: it has a size; atomics, all of them zero.
            let fresh = unsafe { zeroed(Room::zero) };
            if self
                .room
                .compare_exchange(pointer, fresh, AcqRel, Acquire)
                .is_err()
            {
                // SAFETY: ours, and not published.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }

    #[inline(always)]
    fn part(&self, address: u64) -> Option<&Part> {
        let slot = self.parts.0.get((address >> PART_BITS) as usize)?;
        // SAFETY: parts are made by `get_or_new` and never freed.
        unsafe { slot.load(Acquire).as_ref() }
    }

    #[inline(always)]
    fn region(&self, address: u64) -> Option<&Region> {
        // SAFETY: regions are made by `fresh_region` and never freed.
        unsafe {
            self.part(address)?.regions[region_index(address)]
                .load(Acquire)
                .as_ref()
        }
    }
}

impl Region {
    /// Calls `each` with its starts before `to`: of the word that has `from`, those in `mask`, and all behind.
    #[inline(always)]
    fn within(&self, from: u64, mut mask: u64, to: u64, each: &mut impl FnMut(u64)) {
        let to = to.min(next_region(from));
        let (mut word, mut base) = (place(from).0, from >> WORD_BITS << WORD_BITS);
        while base < to {
            let mut bits = self.0[word].load(Relaxed) & mask;
            while bits != 0 {
                let start = base + (u64::from(bits.trailing_zeros()) << GRANULE_BITS);
                if start >= to {
                    return;
                }
                each(start);
                bits &= bits - 1;
            }
            (word, base, mask) = (word + 1, base + (1 << WORD_BITS), u64::MAX);
        }
    }
}

impl Part {
    /// Bytes from the part's start to its last start at or before `address`.
    fn last(&self, address: u64) -> Option<u64> {
        let here = region_index(address);
        let (mut word, mut bit) = place(address);
        let mut mask = u64::MAX >> (63 - here % 64);
        for group in (0..=here / 64).rev() {
            let mut present = self.present[group].load(Relaxed) & mask;
            while present != 0 {
                let index = group * 64 + 63 - present.leading_zeros() as usize;
                if index < here {
                    (word, bit) = (WORDS - 1, 63);
                }
                // SAFETY: as in `Starts::region`.
                let region = unsafe { self.regions[index].load(Acquire).as_ref() };
                if let Some(offset) = region.and_then(|region| last_in(region, word, bit)) {
                    return Some(((index as u64) << REGION_BITS) + offset);
                }
                present &= !(1 << (index % 64));
            }
            mask = u64::MAX;
        }
        None
    }
}

/// A pointer that is set once, to zeroed memory.
trait GetOrNew<T: Zero> {
    fn get_or_new(&self) -> &T;
}

impl<T: Zero> GetOrNew<T> for AtomicPtr<T> {
    #[inline(always)]
    fn get_or_new(&self) -> &T {
        let mut pointer = self.load(Acquire);
        if pointer.is_null() {
            pointer = publish(self);
        }
        // SAFETY: made by `publish` and never freed.
        unsafe { &*pointer }
    }
}

/// A level of the table.
trait Zero: Sized {
    /// One without a start.
    fn zero() -> Self;
}

impl Zero for Region {
    fn zero() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl Zero for Room {
    fn zero() -> Self {
        Self {
            regions: std::array::from_fn(|_| Region::zero()),
            used: AtomicUsize::new(0),
        }
    }
}

impl Zero for Parts {
    fn zero() -> Self {
        Self(std::array::from_fn(|_| AtomicPtr::default()))
    }
}

impl Zero for Part {
    fn zero() -> Self {
        Self {
            regions: std::array::from_fn(|_| AtomicPtr::default()),
            present: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

#[cold]
fn publish<T: Zero>(slot: &AtomicPtr<T>) -> *mut T {
    // SAFETY: both levels have a size; they are arrays of atomics, and all of these are zero or null.
    let fresh = unsafe { zeroed(T::zero) };
    match slot.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            // SAFETY: ours, and not published.
            drop(unsafe { Box::from_raw(fresh) });
            other
        }
    }
}

#[inline(always)]
fn region_index(address: u64) -> usize {
    (address >> REGION_BITS) as usize & (REGIONS - 1)
}

/// Where the region of an address ends.
#[inline(always)]
fn next_region(address: u64) -> u64 {
    ((address >> REGION_BITS) + 1) << REGION_BITS
}

/// The word and bit of an address within its region.
#[inline(always)]
fn place(address: u64) -> (usize, u32) {
    let granule = address >> GRANULE_BITS & (GRANULES - 1);
    ((granule >> 6) as usize, (granule & 63) as u32)
}

/// Bytes from a region's start to its last set bit at or before `word` and `bit`.
fn last_in(region: &Region, word: usize, bit: u32) -> Option<u64> {
    let mut mask = u64::MAX >> (63 - bit);
    for word in (0..=word).rev() {
        let bits = region.0[word].load(Relaxed) & mask;
        if bits != 0 {
            return Some((word as u64 * 64 + u64::from(63 - bits.leading_zeros())) << GRANULE_BITS);
        }
        mask = u64::MAX;
    }
    None
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
    fn nothing_below_the_lowest_is_found() {
        let starts = Starts::default();
        starts.insert(0x1000, 0, |_| {});
        assert_eq!(starts.last(0x1_0000, 0x1000), Some(0x1000));
        assert_eq!(starts.last(0x1_0000, 0x1010), None);
        assert_eq!(starts.last(0x7fff_ffff_ffff, 0x7ff0_0000_0000), None);
        assert_eq!(starts.last(u64::MAX, 0), Some(0x1000));
    }
}
