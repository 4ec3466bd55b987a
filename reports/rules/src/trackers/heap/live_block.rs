//! Live blocks and their history.

use crate::api::block::Block;

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
}

impl LiveBlock {
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
