//! Old names of methods, for crates that still use them.

#![allow(missing_docs)]

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::recent_writers::{RecentWriters, WriterHints};
use crate::trackers::guard_page_faults::GuardPageFaults;
use crate::trackers::heap::{Heap, LiveBlock, NamedBlock, PrefetchHint};
use crate::trackers::objects::{HeapView, ObjectTracker};
use aclsan_log::{BlockId, SiteId};

impl Heap {
    pub fn neighbours(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        self.neighbors(block, near)
    }

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

impl ObjectTracker {
    pub fn reached<'a>(&'a self, view: &'a dyn HeapView) -> impl HeapView + 'a {
        self.resolved(view)
    }

    #[inline]
    pub fn reach(&self, address: u64, info: AddressInfo) -> AddressInfo {
        self.resolve(address, info)
    }

    pub fn astray(&mut self, call: &Call, address: u64, view: &dyn HeapView) -> Vec<Finding> {
        self.on_unknown_pointer(call, address, view)
    }

    pub fn kept(&mut self, block: &Block) {
        self.on_release_failed(block);
    }

    #[inline]
    pub fn follows_touches(&self) -> bool {
        self.wants_accesses()
    }

    pub fn follows_blocks(&self) -> bool {
        self.wants_blocks()
    }
}

impl GuardPageFaults {
    pub fn fenced(&mut self, block: &Block, reach: u64) {
        self.add(block, reach);
    }

    pub fn kept(&mut self, address: u64) {
        self.on_release_failed(address);
    }

    pub fn forgotten(&mut self, address: u64) {
        self.remove(address);
    }
}

impl RecentWriters {
    pub fn cleared(&mut self, block: BlockId) {
        self.clear_block(block);
    }

    pub fn witness(
        &self,
        block: &Block,
        before: Option<Block>,
        behind: Option<Block>,
    ) -> WriterHints {
        self.hints(block, before, behind)
    }
}
