//! What all models do.

use crate::device::Device;
use crate::request::{Asked, Part};

/// An allocator's books. Parts are numbers of the caller, each of which is given out at most once at a time.
pub trait Allocator {
    /// Gives out a part. Returns `false` if the device has no memory left for it; nothing is given out then.
    fn allocate(&mut self, part: Part, asked: Asked, device: &mut Device) -> bool;

    /// The program gave the part back, but it cannot be reused yet.
    fn retire(&mut self, _part: Part) {}

    /// The part can be reused.
    fn release(&mut self, part: Part, device: &mut Device);

    /// Returns to the device what nobody uses.
    fn empty_cache(&mut self, _device: &mut Device) {}

    /// A private pool's owner is gone.
    fn close_pool(&mut self, _pool: u32) {}

    /// Bytes that the allocator holds of the device.
    fn reserved(&self) -> u64;

    /// Bytes that it gave out, as rounded by it.
    fn allocated(&self) -> u64;
}
