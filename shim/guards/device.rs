//! The device interface that guards work on.

use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Function;
use aclsan_tables::live::Entry;

/// How a block's memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Directly, by the host.
    Host,
    /// By the runtime's copies.
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

/// What guards need of a device. The shim implements it with the runtime behind its hooks; unit tests bring a fake.
pub trait Device {
    /// Writes `bytes` to a block; `false` if the runtime refuses, or a graph capture forbids copies.
    fn write(&self, space: Space, to: u64, bytes: &[u8]) -> bool;

    /// Reads from a block; `false` under the same conditions as [`Device::write`].
    fn read(&self, space: Space, from: u64, bytes: &mut [u8]) -> bool;

    /// Reserves `bytes` and one more page of `page` bytes, and backs the first `bytes` with memory of `device`. `is_free` tells whether no
    /// guarded block overlaps a range that starts at an address.
    fn map(
        &self,
        device: u32,
        bytes: u64,
        page: u64,
        is_free: impl FnOnce(u64) -> bool,
    ) -> Result<Mapping, MapError>;

    /// Frees a range's memory. The addresses stay reserved, with nothing mapped; `false` if the runtime refuses.
    fn unmap(&self, mapping: &Mapping) -> bool;

    /// Releases the addresses of an unmapped range; `false` if the runtime refuses.
    fn unreserve(&self, base: u64) -> bool;
}
