//! A live block, and its history.

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
    /// How many allocations of the process came before it.
    pub order: u64,
}

impl LiveBlock {
    /// How many keys it covers: a handle one, whatever its size.
    #[inline]
    pub(super) fn covered(&self) -> u64 {
        match self.block.family().is_handle() {
            true => 1,
            false => self.block.size.max(1),
        }
    }

    /// Key behind its last one.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.block.key().saturating_add(self.covered())
    }
}
