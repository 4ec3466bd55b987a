//! Blocks allocated while their thread ignored its findings. The summary leaves them out.

use aclsan_log::BlockId;
use aclsan_tables::live::Live;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Maximum number of tracked blocks. Beyond it, only live ones are kept.
const MAX_TRACKED: usize = 1 << 16;

/// Numbers of ignored blocks, some of which may have been freed.
#[derive(Default)]
pub struct IgnoredBlocks {
    is_used: AtomicBool,
    blocks: Mutex<HashSet<BlockId>>,
}

impl IgnoredBlocks {
    /// Adds a block. When there are too many, those that are no longer in `live` are dropped.
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
                blocks.clear(); // The program ignores everything: leave it to the log.
            }
        }
    }

    /// Whether the block was allocated while its thread ignored findings.
    pub fn contains(&self, block: BlockId) -> bool {
        let blocks = || self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_used.load(Relaxed) && blocks().contains(&block)
    }
}
