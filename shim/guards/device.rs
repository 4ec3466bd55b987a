//! What guards need of a device.

use aclsan_rules::{Family, Function};
use aclsan_tables::live::Entry;

/// Which copies reach a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// The host's own.
    Host,
    /// The runtime's.
    Device,
}

impl Space {
    /// The space of a block.
    #[inline(always)]
    pub fn of(entry: &Entry) -> Self {
        match entry.is_host() {
            true => Self::Host,
            false => Self::Device,
        }
    }

    /// The space of what a function allocates.
    #[inline(always)]
    pub fn of_function(function: &Function) -> Self {
        match function.family().is_some_and(Family::is_host) {
            true => Self::Host,
            false => Self::Device,
        }
    }
}

/// An address range whose first part is backed by physical memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Its start.
    pub base: u64,
    /// The physical memory.
    pub handle: u64,
}

/// Why memory was not mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapError {
    /// The runtime has no such call.
    Missing,
    /// A call failed, with this status.
    Failed(i32),
    /// Too little memory would be left to the program.
    TooLittleMemory,
    /// The reserved range is unusable: misaligned, outside user addresses, or in use.
    BadRange,
}

/// What guards need of a device. Implemented by the runtime behind our hooks; unit tests bring a fake.
pub trait Device {
    /// Writes `bytes` to a block; `false` if the runtime refuses, or a graph capture forbids copies.
    fn write(&self, space: Space, to: u64, bytes: &[u8]) -> bool;

    /// Reads a block's memory, as [`Device::write`] writes it.
    fn read(&self, space: Space, from: u64, bytes: &mut [u8]) -> bool;

    /// Reserves `bytes` and one more page of `page` bytes, and backs the first `bytes` with memory of `device`. `is_free` tells whether no
    /// range of ours starts at an address.
    fn map(
        &self,
        device: u32,
        bytes: u64,
        page: u64,
        is_free: impl FnOnce(u64) -> bool,
    ) -> Result<Mapping, MapError>;

    /// Frees a range's memory. The addresses stay reserved, with nothing mapped; `false` if the runtime refuses.
    fn unmap(&self, mapping: &Mapping) -> bool;

    /// Gives back the addresses of an unmapped range; `false` if the runtime refuses.
    fn unreserve(&self, base: u64) -> bool;
}
