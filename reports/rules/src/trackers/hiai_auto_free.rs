//! HiAI Matrix blocks that a send may take. Both hosts keep one: the shim at the call, replay from the log.

use crate::api::block::Block;
use crate::api::functions::Family;
use aclsan_log::BlockId;
use std::collections::HashMap;

const AUTO_FREE: u32 = 1 << 1;
const MANUAL_FREE: u32 = 1 << 2;

/// Whether an allocation's flag makes the Matrix release the block once it was sent.
pub fn is_auto_free(flag: u32) -> bool {
    flag & (AUTO_FREE | MANUAL_FREE) == AUTO_FREE
}

/// Whether an allocation's flag leaves the release to the sender.
pub fn is_manual_free(flag: u32) -> bool {
    flag & (AUTO_FREE | MANUAL_FREE) == MANUAL_FREE
}

/// The live `AUTO_FREE` blocks, by address.
#[derive(Default)]
pub struct AutoFree(HashMap<u64, BlockId>);

impl AutoFree {
    /// A block was allocated with `flag`.
    pub fn made(&mut self, block: &Block, flag: u32) {
        if block.family() == Family::Hiai && is_auto_free(flag) {
            self.0.insert(block.address, block.id);
        } else {
            self.gone(block.address);
        }
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The block at `address` was released.
    #[inline]
    pub fn gone(&mut self, address: u64) {
        if !self.0.is_empty() {
            self.0.remove(&address);
        }
    }

    /// `message` is being sent. Returns the block that goes with it, if the message is one.
    pub fn take(&mut self, message: u64) -> Option<BlockId> {
        self.0.remove(&message)
    }

    /// A message with unknown contents was sent. Returns all blocks, since each of them may have been in it.
    pub fn doubt(&mut self) -> Vec<(u64, BlockId)> {
        self.0.drain().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::block;

    #[test]
    fn only_blocks_that_the_matrix_releases_are_taken() {
        let mut auto = AutoFree::default();
        auto.made(&block("HIAI_DMalloc", 0x1000, 64), 2);
        auto.made(&block("HIAI_DMalloc", 0x2000, 64), 4);
        auto.made(&block("HIAI_DVPP_DMalloc", 0x3000, 64), 2);
        assert_eq!(auto.take(0x2000), None);
        assert_eq!(auto.take(0x1000), Some(BlockId(1)));
        assert_eq!(auto.take(0x1000), None);
        assert!(auto.doubt().is_empty());
    }

    #[test]
    fn a_flag_of_nothing_or_both_is_neither() {
        for flag in [0, 1, 6] {
            assert!(!is_auto_free(flag) && !is_manual_free(flag));
        }
    }
}
