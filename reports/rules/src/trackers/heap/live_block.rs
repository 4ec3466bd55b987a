//! Live blocks and their history.

use crate::api::block::Block;
use crate::evidence::estimate;

/// A block and its history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveBlock {
    /// The block.
    pub block: Block,
    /// When it was allocated, in nanoseconds since the log began.
    pub since_ns: u64,
    /// The thread that allocated it.
    pub thread: u32,
    /// Whether a call named it since.
    pub is_named: bool,
    /// Allocations of the process before it.
    pub order: u64,
    /// Bytes that it counts as: its own, unless the log has a sample of the blocks only.
    pub bytes: u64,
}

impl LiveBlock {
    /// Blocks that it counts as. 1.5 are one for every second block, by its number, so that a release takes away what the allocation added.
    #[inline]
    pub fn blocks(&self) -> u64 {
        match self.bytes == self.block.size {
            true => 1,
            false => estimate::blocks(&self.block, self.bytes),
        }
    }

    /// Keys that it covers: one for a handle, whatever its size.
    #[inline]
    pub(super) fn covered(&self) -> u64 {
        match self.block.family().is_handle() {
            true => 1,
            false => self.block.size.max(1),
        }
    }

    /// The key after its last one.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.block.key().saturating_add(self.covered())
    }
}
