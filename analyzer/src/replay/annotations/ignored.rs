//! Allocations and findings of threads in an ignore scope.

use std::collections::HashMap;

use aclsan_log::BlockId;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::fast_hash::FastMap;

/// Threads in an ignore scope, and what was ignored.
#[derive(Default)]
pub struct Ignored {
    depths: HashMap<u32, u64>,
    /// Bytes of live ignored blocks; `None` for blocks that are not memory.
    blocks: FastMap<BlockId, Option<u64>>,
    findings: u64,
}

impl Ignored {
    /// A thread's nesting depth of ignore scopes.
    pub fn depth(&mut self, tid: u32, depth: u64) {
        match depth {
            0 => drop(self.depths.remove(&tid)),
            _ => drop(self.depths.insert(tid, depth)),
        }
    }

    /// Whether a thread is in an ignore scope; its findings are then counted here and nowhere else.
    pub fn passes_over(&mut self, tid: u32, findings: u64) -> bool {
        let is_ignoring = self.depths.contains_key(&tid);
        if is_ignoring {
            self.findings += findings;
        }
        is_ignoring
    }

    /// Whether no thread is, and no block is ignored.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.depths.is_empty() && self.blocks.is_empty()
    }

    /// A block was allocated.
    pub fn allocated(&mut self, block: &Block, tid: u32) {
        if self.depths.contains_key(&tid) {
            self.kept(block);
        }
    }

    /// An ignored block whose release was refused is live again.
    pub fn kept(&mut self, block: &Block) {
        let bytes = block.family().is_memory().then_some(block.size);
        self.blocks.insert(block.id, bytes);
    }

    /// A block was released; `true` if it was ignored.
    pub fn released(&mut self, block: &Block) -> bool {
        !self.blocks.is_empty() && self.blocks.remove(&block.id).is_some()
    }

    /// Whether a block is ignored.
    pub fn has(&self, block: BlockId) -> bool {
        self.blocks.contains_key(&block)
    }

    /// Blocks of memory, their bytes, findings.
    pub fn sums(&self) -> (u64, u64, u64) {
        let memory = || self.blocks.values().flatten();
        let bytes = memory().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        (memory().count() as u64, bytes, self.findings)
    }
}
