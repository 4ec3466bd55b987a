//! One pool cut by hand, first fit: a part goes to the lowest free place that is large enough; free neighbors join.
//!
//! The pool is as long as its highest part needs: what it comes to is the size that it would have to be made with. Parts take
//! `ALIGN_UP(bytes, 32) + 32` bytes and begin at multiples of 64, as AscendCL's documents ask of pools.

use crate::allocator::Allocator;
use crate::device::Device;
use crate::direct::padded;
use crate::ranges::FreeRanges;
use crate::request::{Asked, Part};

/// Where parts begin: at a multiple.
pub const ALIGNMENT: u64 = 64;

/// The pool's books.
#[derive(Debug)]
pub struct FirstFit {
    ranges: FreeRanges,
    /// Start, bytes that it takes, and bytes asked for.
    parts: Vec<Option<(u64, u64, u64)>>,
    /// The pool never gets smaller.
    reserved: u64,
    allocated: u64,
}

impl Default for FirstFit {
    fn default() -> Self {
        Self {
            ranges: FreeRanges::new(0),
            parts: Vec::new(),
            reserved: 0,
            allocated: 0,
        }
    }
}

impl Allocator for FirstFit {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let bytes = padded(asked.bytes);
        let (start, has_grown) = self.ranges.take_first(bytes, ALIGNMENT);
        let more = self.ranges.end().saturating_sub(self.reserved);
        if has_grown && !device.take(more) {
            self.ranges.give_back(start, bytes);
            return false;
        }
        self.reserved += if has_grown { more } else { 0 };
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
            self.ranges.give_back(start, bytes);
            self.allocated = self.allocated.saturating_sub(asked);
        }
    }

    fn reserved(&self) -> u64 {
        self.reserved
    }

    fn allocated(&self) -> u64 {
        self.allocated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hole_that_is_large_enough_is_taken() {
        let (mut pool, mut device) = (FirstFit::default(), Device::new(Some(960)));
        let mut take = |pool: &mut FirstFit, part, bytes| {
            let asked = Asked {
                bytes,
                stream: 0,
                pool: 0,
            };
            pool.allocate(part, asked, &mut device)
        };
        // 100 bytes take 160, and the next begins at 192.
        assert!((0..5).all(|part| take(&mut pool, part, 100)));
        assert_eq!(pool.reserved(), 4 * 192 + 160);
        let mut elsewhere = Device::new(None);
        pool.release(1, &mut elsewhere);
        pool.release(2, &mut elsewhere);
        assert!(take(&mut pool, 1, 300), "both holes in one");
        assert_eq!(pool.reserved(), 928);
        assert!(!take(&mut pool, 2, 100), "992 at least");
        assert_eq!(pool.reserved(), 928);
        assert_eq!(pool.allocated(), 600);
    }
}
