//! Blocks that were allocated while their thread ignored what it did: the summary leaves them out.

use aclsan_log::BlockId;
use aclsan_tables::live::Live;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Blocks that are kept in mind; beyond it those that are still live.
const MAX_TRACKED: usize = 1 << 16;

/// Numbers of ignored blocks, some of them of blocks that are gone.
#[derive(Default)]
pub struct IgnoredBlocks {
    is_used: AtomicBool,
    blocks: Mutex<HashSet<BlockId>>,
}

impl IgnoredBlocks {
    /// One more. `live` tells which of the others can be forgotten, when there are too many.
    #[cold]
    pub fn add(&self, block: BlockId, live: &Live) {
        self.is_used.store(true, Relaxed);
        let is_full = {
            let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.insert(block);
            blocks.len() > MAX_TRACKED
        };
        if is_full {
            let mut still = HashSet::from([block]);
            live.for_each_live(|_, entry| {
                still.insert(entry.id);
            });
            let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.retain(|block| still.contains(block));
            if blocks.len() > MAX_TRACKED {
                blocks.clear(); // A program that ignores all it does: the log knows better.
            }
        }
    }

    /// Whether the block was allocated so.
    pub fn contains(&self, block: BlockId) -> bool {
        let blocks = || self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_used.load(Relaxed) && blocks().contains(&block)
    }
}
