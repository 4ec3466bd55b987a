//! One pool cut by hand, as TLSF does (two-level segregated fit): free ranges are kept by size class, and the first of the smallest class
//! whose every range is large enough serves a request.
//!
//! Source: Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time systems" (2004), with 16 classes between two
//! powers of two. The pool is as long as its highest part needs. Parts are those of [`crate::first_fit`].

use std::collections::{BTreeMap, BTreeSet};

use crate::allocator::Allocator;
use crate::device::Device;
use crate::direct::padded;
use crate::first_fit::ALIGNMENT;
use crate::request::{Asked, Part};

/// Classes between two powers of two.
const CLASSES: u64 = 16;

/// The pool's books.
#[derive(Default, Debug)]
pub struct Tlsf {
    /// Free ranges by class: the one freed last first, by descending number.
    classes: BTreeMap<u64, BTreeSet<(u64, u64)>>,
    /// Bytes, class and number of each free range, by start and by end.
    free: BTreeMap<u64, (u64, u64)>,
    ends: BTreeMap<u64, u64>,
    /// Start, bytes that it takes, and bytes asked for.
    parts: Vec<Option<(u64, u64, u64)>>,
    frees: u64,
    size: u64,
    allocated: u64,
}

/// The class of a range of `bytes` bytes: all ranges of it have at least as many as its smallest.
fn class(bytes: u64) -> u64 {
    let power = u64::from(bytes.max(CLASSES).ilog2());
    let step = (bytes >> (power - 4)) & (CLASSES - 1);
    power * CLASSES + step
}

/// The first class whose every range has `bytes`.
fn class_above(bytes: u64) -> u64 {
    let power = bytes.max(CLASSES).ilog2();
    class(bytes.saturating_add((1 << (power - 4)) - 1))
}

impl Tlsf {
    fn put(&mut self, mut start: u64, mut bytes: u64) {
        if let Some(before) = self.ends.get(&start).copied() {
            bytes += self.remove(before);
            start = before;
        }
        if self.free.contains_key(&(start + bytes)) {
            bytes += self.remove(start + bytes);
        }
        self.frees += 1;
        let number = u64::MAX - self.frees;
        self.free.insert(start, (bytes, number));
        self.ends.insert(start + bytes, start);
        self.classes
            .entry(class(bytes))
            .or_default()
            .insert((number, start));
    }

    /// Takes a free range out of the books. Returns its bytes.
    fn remove(&mut self, start: u64) -> u64 {
        let Some((bytes, number)) = self.free.remove(&start) else {
            return 0;
        };
        self.ends.remove(&(start + bytes));
        if let Some(ranges) = self.classes.get_mut(&class(bytes)) {
            ranges.remove(&(number, start));
            if ranges.is_empty() {
                self.classes.remove(&class(bytes));
            }
        }
        bytes
    }

    fn good_fit(&self, bytes: u64) -> Option<u64> {
        let (_, ranges) = self.classes.range(class_above(bytes)..).next()?;
        ranges.first().map(|&(_, start)| start)
    }

    /// Makes the pool longer, so that its last free range has `bytes`. Returns the start of that range.
    fn grow(&mut self, bytes: u64, device: &mut Device) -> Option<u64> {
        let start = self.ends.get(&self.size).copied().unwrap_or(self.size);
        let end = start.checked_add(bytes)?;
        let more = end.saturating_sub(self.size);
        if !device.take(more) {
            return None;
        }
        let at = self.size;
        self.size += more;
        if more > 0 {
            self.put(at, more);
        }
        Some(start)
    }
}

impl Allocator for Tlsf {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let Some(bytes) = padded(asked.bytes).checked_next_multiple_of(ALIGNMENT) else {
            return false;
        };
        let found = self.good_fit(bytes);
        let Some(start) = found.or_else(|| self.grow(bytes, device)) else {
            return false;
        };
        let all = self.remove(start);
        if all > bytes {
            self.put(start + bytes, all - bytes);
        }
        let index = part as usize;
        if index >= self.parts.len() {
            self.parts.resize(index + 1, None);
        }
        self.parts[index] = Some((start, bytes, asked.bytes));
        self.allocated = self.allocated.saturating_add(asked.bytes);
        true
    }

    fn release(&mut self, part: Part, _device: &mut Device) {
        if let Some((start, bytes, asked)) =
            self.parts.get_mut(part as usize).and_then(Option::take)
        {
            self.put(start, bytes);
            self.allocated = self.allocated.saturating_sub(asked);
        }
    }

    fn reserved(&self) -> u64 {
        self.size
    }

    fn allocated(&self) -> u64 {
        self.allocated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_a_sixteenth_of_a_power_of_two() {
        assert_eq!(class(1024), class(1087));
        assert_eq!(class(1024) + 1, class(1088));
        assert_eq!(class_above(1024), class(1024));
        assert_eq!(class_above(1025), class(1088));
        assert_eq!(class_above(2047), class(2048));
    }

    #[test]
    fn a_range_of_its_own_class_may_be_too_small_and_is_not_searched() {
        let (mut pool, mut device) = (Tlsf::default(), Device::new(None));
        let mut take = |pool: &mut Tlsf, part, bytes| {
            let asked = Asked {
                bytes,
                stream: 0,
                pool: 0,
            };
            assert!(pool.allocate(part, asked, &mut device));
            pool.reserved()
        };
        assert_eq!(take(&mut pool, 0, 4160 - 32), 4160);
        assert_eq!(take(&mut pool, 1, 32), 4224);
        let mut elsewhere = Device::new(None);
        pool.release(0, &mut elsewhere);
        // 4160 bytes are of the class of 4096, in which not every range has 4160.
        assert_eq!(take(&mut pool, 0, 4160 - 32), 4224 + 4160);
        assert_eq!(
            take(&mut pool, 2, 4096 - 32),
            4224 + 4160,
            "4096 fits any of it"
        );
        pool.release(0, &mut elsewhere);
        pool.release(1, &mut elsewhere);
        pool.release(2, &mut elsewhere);
        assert_eq!(pool.free.len(), 1, "all in one again");
        assert_eq!(pool.allocated(), 0);
    }
}
