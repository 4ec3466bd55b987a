//! Old names of methods, for crates that still use them.

#![allow(missing_docs)]

use crate::api::block::Block;
use crate::trackers::heap::{Heap, LiveBlock, NamedBlock, PrefetchHint};
use aclsan_log::{BlockId, SiteId};

impl Heap {
    #[inline]
    pub fn hold(
        &mut self,
        block: Block,
        since_ns: u64,
        thread: u32,
    ) -> (LiveBlock, Vec<LiveBlock>) {
        self.insert(block, since_ns, thread)
    }

    #[inline(always)]
    pub fn hold_plainly(
        &mut self,
        hint: PrefetchHint,
        block: Block,
        since_ns: u64,
        thread: u32,
    ) -> Option<PrefetchHint> {
        self.insert_fast(hint, block, since_ns, thread)
    }

    #[inline(always)]
    pub fn release_plainly(
        &mut self,
        hint: PrefetchHint,
        id: BlockId,
        site: SiteId,
        is_plain: impl Fn(&Block) -> bool,
    ) -> Option<(u64, PrefetchHint)> {
        self.release_fast(hint, id, site, is_plain)
    }

    #[inline]
    pub fn held_at(&self, hint: PrefetchHint) -> LiveBlock {
        self.block_at(hint)
    }

    #[inline(always)]
    pub fn met_again(&self, address: u64) -> Option<NamedBlock> {
        self.named_at(address)
    }

    #[inline(always)]
    pub fn met(&mut self, address: u64, is_noted: impl FnOnce() -> bool) -> Option<(Block, bool)> {
        self.name_at(address, is_noted)
    }
}
