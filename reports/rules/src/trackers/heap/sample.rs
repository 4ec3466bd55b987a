//! A heap of which only a sample of the blocks is known.
//!
//! The memory of a freed one may belong to a block that is not seen. So a freed block is found by a release at its start alone, before which
//! the shim forgets it if another block starts there.

use super::live_block::LiveBlock;
use super::model::Heap;
use crate::api::block::AddressInfo;
use crate::evidence::estimate::BlockSample;

impl Heap {
    /// The log has a sample of the blocks.
    pub fn sampled(self, sample: Option<BlockSample>) -> Self {
        Self { sample, ..self }
    }

    /// Whether blocks are missing from the log.
    pub fn is_sampled(&self) -> bool {
        self.sample.is_some()
    }

    /// Sets the weighted bytes.
    #[inline(always)]
    pub(super) fn weighed(&self, live: LiveBlock) -> LiveBlock {
        match &self.sample {
            None => live,
            Some(sample) => {
                let bytes = sample.bytes(&live.block);
                LiveBlock { bytes, ..live }
            }
        }
    }

    /// Looks up an address that is released: as [`Heap::place`], but a sample knows freed blocks, too, by where they begin.
    pub fn place_of_release(&self, address: u64) -> AddressInfo {
        match self.find_place(address) {
            AddressInfo::Live(_, 1..) | AddressInfo::Ended(_, 1.., _) if self.is_sampled() => {
                AddressInfo::Unknown
            }
            place => place,
        }
    }
}
