//! No allocator at all: every request is an `aclrtMalloc` of its own.
//!
//! Source: the runtime rounds as `ALIGN_UP(bytes, 32) + 32`, and takes pages of 2 MiB for more than 1 MiB (`ACL_MEM_MALLOC_HUGE_FIRST`);
//! smaller blocks share pages of 4 KiB.

use crate::MIB;
use crate::allocator::Allocator;
use crate::device::Device;
use crate::request::{Asked, Part};

const UNIT: u64 = 32;
const HUGE_ABOVE: u64 = MIB;
const HUGE_PAGE: u64 = 2 * MIB;

/// The runtime's books: bytes of pages by part.
#[derive(Default, Debug)]
pub struct Direct {
    /// Bytes asked for, and bytes that they take; 0 for none.
    parts: Vec<(u64, u64)>,
    reserved: u64,
    allocated: u64,
}

fn pages(bytes: u64) -> u64 {
    let rounded = padded(bytes);
    match rounded > HUGE_ABOVE {
        true => rounded
            .checked_next_multiple_of(HUGE_PAGE)
            .unwrap_or(u64::MAX),
        false => rounded,
    }
}

/// What the runtime makes of a request, and a pool should: the next block begins behind bytes that media units may write.
pub fn padded(bytes: u64) -> u64 {
    let whole = bytes.checked_next_multiple_of(UNIT).unwrap_or(u64::MAX);
    whole.saturating_add(UNIT)
}

impl Allocator for Direct {
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool {
        let taken = pages(asked.bytes);
        if !device.take(taken) {
            return false;
        }
        let index = part as usize;
        if index >= self.parts.len() {
            self.parts.resize(index + 1, (0, 0));
        }
        self.parts[index] = (asked.bytes, taken);
        self.reserved = self.reserved.saturating_add(taken);
        self.allocated = self.allocated.saturating_add(asked.bytes);
        true
    }

    fn release(&mut self, part: Part, device: &mut Device) {
        let Some((asked, taken)) = self.parts.get_mut(part as usize).map(std::mem::take) else {
            return;
        };
        device.give_back(taken);
        self.reserved = self.reserved.saturating_sub(taken);
        self.allocated = self.allocated.saturating_sub(asked);
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
    fn large_blocks_take_whole_pages() {
        assert_eq!(pages(1), 64);
        assert_eq!(pages(MIB - 32), MIB);
        assert_eq!(pages(MIB), 2 * MIB);
        assert_eq!(pages(2 * MIB), 4 * MIB);
        assert_eq!(pages(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_books_close() {
        let (mut direct, mut device) = (Direct::default(), Device::new(Some(4 * MIB)));
        let asked = Asked {
            bytes: 3 * MIB,
            stream: 0,
            pool: 0,
        };
        assert!(direct.allocate(3, asked, &mut device));
        assert!(!direct.allocate(0, asked, &mut device));
        direct.release(3, &mut device);
        direct.release(3, &mut device);
        assert_eq!(
            (direct.reserved(), direct.allocated(), device.in_use()),
            (0, 0, 0)
        );
    }
}
