//! Blocks as the accounting counts them: without what their site says about all of its blocks.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::trackers::heap::LiveBlock;

/// A block, and what it counts as.
#[derive(Clone, Copy)]
pub struct Counted {
    pub id: BlockId,
    pub address: u64,
    /// Bytes that the program asked for.
    pub size: u64,
    /// Blocks and bytes that it counts as: see [`LiveBlock::bytes`].
    pub blocks: u64,
    pub bytes: u64,
    pub since_ns: u64,
    pub order: u64,
    pub site: CallSiteId,
    pub thread: u32,
    pub is_named: bool,
}

impl From<&LiveBlock> for Counted {
    #[inline(always)]
    fn from(held: &LiveBlock) -> Self {
        Self {
            id: held.block.id,
            address: held.block.address,
            size: held.block.size,
            blocks: held.blocks(),
            bytes: held.bytes,
            since_ns: held.since_ns,
            order: held.order,
            site: held.block.site,
            thread: held.thread,
            is_named: held.is_named,
        }
    }
}

/// A block that counts as itself, in 56 bytes: queued entries are a cache line each.
#[derive(Clone, Copy)]
pub struct Packed {
    id: BlockId,
    address: u64,
    /// Bytes, all of which count.
    pub size: u64,
    since_ns: u64,
    /// With [`NAMED`] on top.
    order: u64,
    /// When it came or went.
    pub ns: u64,
    site: CallSiteId,
    thread: u32,
}

/// Set if a call named the block. No process allocates so often that its orders reach it.
const NAMED: u64 = 1 << 63;

impl Packed {
    /// `None` if the block counts as more than itself, or as less.
    #[inline(always)]
    pub fn of(held: &LiveBlock, ns: u64) -> Option<Self> {
        (held.bytes == held.block.size).then(|| Self {
            id: held.block.id,
            address: held.block.address,
            size: held.block.size,
            since_ns: held.since_ns,
            order: held.order | (u64::from(held.is_named) * NAMED),
            ns,
            site: held.block.site,
            thread: held.thread,
        })
    }

    /// Its site.
    #[inline(always)]
    pub fn site(&self) -> CallSiteId {
        self.site
    }

    /// Allocations of the process before it.
    #[inline(always)]
    pub fn order(&self) -> u64 {
        self.order & !NAMED
    }

    /// The block.
    #[inline(always)]
    pub fn counted(&self) -> Counted {
        Counted {
            id: self.id,
            address: self.address,
            size: self.size,
            blocks: 1,
            bytes: self.size,
            since_ns: self.since_ns,
            order: self.order(),
            site: self.site,
            thread: self.thread,
            is_named: self.order & NAMED != 0,
        }
    }
}
