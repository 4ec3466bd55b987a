//! Blocks allocated while their thread ignored its findings. The summary leaves them out.

use crate::state::limits::Limit;
use aclsan_log::BlockId;
use aclsan_os::lock::{Mutex, rank};
use aclsan_tables::live::Live;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Maximum number of tracked blocks. Beyond it, only live ones are kept.
const MAX_TRACKED: usize = 1 << 16;

/// Numbers of ignored blocks, some of which may have been freed.
#[derive(Default)]
pub struct IgnoredBlocks {
    is_used: AtomicBool,
    blocks: Mutex<rank::IgnoredBlocks, HashSet<BlockId>>,
}

impl IgnoredBlocks {
    /// Adds a block. When there are too many, those that are no longer in `live` are dropped.
    #[cold]
    pub fn add(&self, block: BlockId, live: &Live) {
        self.is_used.store(true, Relaxed);
        let is_full = {
            let mut blocks = self.blocks.lock();
            blocks.insert(block);
            blocks.len() > MAX_TRACKED
        };
        if is_full {
            let mut still = HashSet::from([block]);
            live.for_each_live(|_, entry| {
                still.insert(entry.id);
            });
            let mut blocks = self.blocks.lock();
            blocks.retain(|block| still.contains(block));
            if blocks.len() > MAX_TRACKED {
                Limit::IgnoredBlocks.leave_out(blocks.len() as u64);
                blocks.clear(); // The program ignores everything: leave it to the log.
            }
        }
    }

    /// Whether the block was allocated while its thread ignored findings.
    pub fn contains(&self, block: BlockId) -> bool {
        let blocks = || self.blocks.lock();
        self.is_used.load(Relaxed) && blocks().contains(&block)
    }
}
