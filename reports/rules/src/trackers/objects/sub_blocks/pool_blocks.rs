//! Which live blocks are segments of a pool, also when the pool has nothing of them in use.

use super::super::tracker::HeapView;
use super::{MAX_SEGMENTS, Owner};
use crate::api::block::{AddressInfo, Block};
use aclsan_log::BlockId;
use std::collections::HashMap;

/// How many blocks are turned away between two searches for blocks that are gone.
const BETWEEN_SWEEPS: usize = 1 << 12;

/// Pools by block.
#[derive(Default)]
pub(super) struct PoolBlocks {
    /// Address of the block, its pool, the number of the pool's name.
    by_block: HashMap<BlockId, (u64, Owner, u64)>,
    /// Most parts come from the same block as the one before. Its address, too.
    last: Option<(BlockId, u64)>,
    turned_away: usize,
}

impl PoolBlocks {
    /// The block is a pool's. The first pool that says so keeps it until its end.
    pub fn add(&mut self, block: &Block, (owner, name): (Owner, u64), view: &dyn HeapView) {
        if self.by_block.len() >= MAX_SEGMENTS && !self.by_block.contains_key(&block.id) {
            self.turned_away += 1;
            if self.turned_away % BETWEEN_SWEEPS != 1 {
                return;
            }
            self.sweep(view);
            if self.by_block.len() >= MAX_SEGMENTS {
                return;
            }
        }
        let new = (block.address, owner, name);
        self.by_block.entry(block.id).or_insert(new);
        self.last = Some((block.id, block.address));
    }

    /// Whether the block is that of the part before.
    pub fn is_last(&self, block: &Block) -> bool {
        self.last.is_some_and(|(last, _)| last == block.id)
    }

    /// Where the block of the part before starts; 0 for none.
    pub fn last_start(&self) -> u64 {
        self.last.map_or(0, |(_, start)| start)
    }

    /// The pool of a block, and the number of its name.
    pub fn owner(&self, block: BlockId) -> Option<(Owner, u64)> {
        let &(_, owner, name) = self.by_block.get(&block)?;
        Some((owner, name))
    }

    /// A pool has ended: its blocks are the program's again.
    pub fn forget_pool(&mut self, owner: Owner) {
        self.by_block.retain(|_, (_, known, _)| *known != owner);
        self.last = None;
    }

    /// Releases of blocks are not reported here.
    fn sweep(&mut self, view: &dyn HeapView) {
        self.by_block.retain(|&id, (address, ..)| {
            matches!(view.place(*address), AddressInfo::Live(block, _) if block.id == id)
        });
    }
}

/// Whether a range has more than half of a block. A pool may leave out what its alignment costs.
pub(super) fn most_of(block: &Block, (start, end): (u64, u64)) -> bool {
    let block_end = block.address.saturating_add(block.size);
    let common = end.min(block_end).saturating_sub(start.max(block.address));
    common > block.size / 2
}
