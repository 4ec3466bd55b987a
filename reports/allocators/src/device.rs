//! The device as an allocator sees it: how many bytes are left, and at which addresses it gives memory.

use std::collections::{HashMap, VecDeque};

use crate::ranges::FreeRanges;

/// Addresses of reservations begin here, far from those of memory.
const RESERVATIONS: u64 = 1 << 60;

/// A device's memory.
#[derive(Debug)]
pub struct Device {
    /// All bytes, if there is a limit.
    capacity: Option<u64>,
    /// Bytes that allocators hold.
    taken: u64,
    /// Bytes that others hold.
    others: u64,
    /// Addresses that the device gave, by bytes, in order; a model that asks for as many gets the same.
    recorded: HashMap<u64, VecDeque<u64>>,
    free: FreeRanges,
    reserved: u64,
}

impl Device {
    /// A device of `capacity` bytes; of any number with `None`.
    pub fn new(capacity: Option<u64>) -> Self {
        Self {
            capacity,
            taken: 0,
            others: 0,
            recorded: HashMap::new(),
            free: FreeRanges::new(1 << 40),
            reserved: RESERVATIONS,
        }
    }

    /// The device gave a block of `bytes` at `address` to the program that was recorded. Which of two equal blocks a cache takes depends on
    /// their addresses.
    pub fn gave(&mut self, bytes: u64, address: u64) {
        self.recorded.entry(bytes).or_default().push_back(address);
    }

    /// All bytes, if there is a limit.
    pub fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// Bytes in use, by allocators and others.
    pub fn in_use(&self) -> u64 {
        self.taken.saturating_add(self.others)
    }

    /// Takes `bytes`, if they are left.
    pub fn take(&mut self, bytes: u64) -> bool {
        let fits = match self.capacity {
            Some(capacity) => self.in_use().saturating_add(bytes) <= capacity,
            None => true,
        };
        if fits {
            self.taken = self.taken.saturating_add(bytes);
        }
        fits
    }

    /// Returns bytes that [`Device::take`] took.
    pub fn give_back(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_sub(bytes);
    }

    /// A block of `bytes`: its address.
    pub fn allocate(&mut self, bytes: u64) -> Option<u64> {
        if !self.take(bytes) {
            return None;
        }
        let recorded = self.recorded.get_mut(&bytes).and_then(VecDeque::pop_front);
        Some(recorded.unwrap_or_else(|| self.free.take_first(bytes, 1).0))
    }

    /// The block at `address` is released.
    pub fn release(&mut self, address: u64, bytes: u64) {
        self.give_back(bytes);
        self.free.give_back(address, bytes);
    }

    /// Addresses for `bytes`, without memory. They are used once.
    pub fn reserve(&mut self, bytes: u64) -> u64 {
        let start = self.reserved;
        self.reserved = start.saturating_add(bytes);
        start
    }

    /// Others take `bytes`. Returns `false` if they do not fit; they count all the same.
    pub fn others_take(&mut self, bytes: u64) -> bool {
        self.others = self.others.saturating_add(bytes);
        self.capacity
            .is_none_or(|capacity| self.in_use() <= capacity)
    }

    /// Others return `bytes`.
    pub fn others_return(&mut self, bytes: u64) {
        self.others = self.others.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_gives_what_is_left() {
        let mut device = Device::new(Some(100));
        assert!(device.others_take(30));
        let first = device.allocate(70);
        assert!(first.is_some());
        assert_eq!(device.allocate(1), None);
        device.release(first.unwrap_or(0), 70);
        device.others_return(30);
        assert_eq!(device.in_use(), 0);
        assert!(!device.others_take(101), "others do not ask the model");
        assert_eq!(device.in_use(), 101);
    }

    #[test]
    fn recorded_addresses_come_first_and_in_order() {
        let mut device = Device::new(None);
        device.gave(64, 0x9000);
        device.gave(64, 0x5000);
        assert_eq!(device.allocate(64), Some(0x9000));
        assert_eq!(device.allocate(64), Some(0x5000));
        let fresh = device.allocate(64);
        assert!(fresh.is_some_and(|address| address > 0x9000));
    }
}
