//! One pool cut by hand, as a binary buddy system: parts are powers of two, and a half joins the other half only.
//!
//! The pool is a power of two, too, and is doubled when nothing fits. Parts take `ALIGN_UP(bytes, 32) + 32` bytes, at least
//! [`SMALLEST`].

use std::collections::BTreeSet;

use crate::allocator::Allocator;
use crate::device::Device;
use crate::direct::padded;
use crate::request::{Asked, Part};

/// The smallest part.
pub const SMALLEST: u64 = 512;
/// Powers of two that a part can be.
const ORDERS: usize = 64;

/// The pool's books.
#[derive(Debug)]
pub struct Buddy {
    /// Starts of free parts by power of two.
    free: [BTreeSet<u64>; ORDERS],
    /// Start, power of two, and bytes asked for.
    parts: Vec<Option<(u64, usize, u64)>>,
    size: u64,
    allocated: u64,
}

impl Default for Buddy {
    fn default() -> Self {
        Self {
            free: std::array::from_fn(|_| BTreeSet::new()),
            parts: Vec::new(),
            size: 0,
            allocated: 0,
        }
    }
}

impl Buddy {
    fn put(&mut self, mut start: u64, mut order: usize) {
        while order + 1 < ORDERS && self.free[order].remove(&(start ^ (1 << order))) {
            start &= !(1 << order);
            order += 1;
        }
        self.free[order].insert(start);
    }

    fn take(&mut self, order: usize) -> Option<u64> {
        let found = (order..ORDERS).find(|&larger| !self.free[larger].is_empty())?;
        let start = self.free[found].pop_first()?;
        for smaller in order..found {
            self.free[smaller].insert(start + (1 << smaller));
        }
        Some(start)
    }

    /// Doubles the pool until a part of that power of two fits.
    fn grow(&mut self, order: usize, device: &mut Device) -> bool {
        let wanted = 1_u64 << order;
        if self.size == 0 {
            if !device.take(wanted) {
                return false;
            }
            self.size = wanted;
            self.free[order].insert(0);
            return true;
        }
        while self.free[order..].iter().all(BTreeSet::is_empty) {
            let Some(doubled) = self.size.checked_mul(2).filter(|_| device.take(self.size)) else {
                return false;
            };
            self.put(self.size, self.size.ilog2() as usize);
            self.size = doubled;
        }
        true
    }
}

impl Allocator for Buddy {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let bytes = padded(asked.bytes).max(SMALLEST);
        let Some(order) = bytes.checked_next_power_of_two().map(u64::ilog2) else {
            return false;
        };
        let order = order as usize;
        if !self.grow(order, device) {
            return false;
        }
        let Some(start) = self.take(order) else {
            return false;
        };
        let index = part as usize;
        if index >= self.parts.len() {
            self.parts.resize(index + 1, None);
        }
        self.parts[index] = Some((start, order, asked.bytes));
        self.allocated = self.allocated.saturating_add(asked.bytes);
        true
    }

    fn release(&mut self, part: Part, _device: &mut Device) {
        if let Some((start, order, asked)) =
            self.parts.get_mut(part as usize).and_then(Option::take)
        {
            self.put(start, order);
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
    fn halves_join_their_other_half() {
        let (mut pool, mut device) = (Buddy::default(), Device::new(Some(4096)));
        let mut take = |pool: &mut Buddy, part, bytes| {
            let asked = Asked {
                bytes,
                stream: 0,
                pool: 0,
            };
            pool.allocate(part, asked, &mut device)
        };
        assert!(take(&mut pool, 0, 1), "512");
        assert_eq!(pool.reserved(), 512);
        assert!(take(&mut pool, 1, 600), "1024, in the upper half of 2048");
        assert_eq!(pool.reserved(), 2048);
        assert!(take(&mut pool, 2, 1), "512 to 1024");
        assert_eq!(pool.reserved(), 2048);
        let mut elsewhere = Device::new(None);
        pool.release(0, &mut elsewhere);
        pool.release(2, &mut elsewhere);
        assert!(take(&mut pool, 0, 900), "both 512 in one");
        assert_eq!(pool.reserved(), 2048);
        assert!(!take(&mut pool, 2, 3000), "4096 more");
        assert!(!take(&mut pool, 2, u64::MAX));
        assert_eq!(pool.allocated(), 1500);
    }
}
