//! What the parts of pools come to by the call that took them: as far as the growth of a place is concerned, a part is a block.

use std::collections::{BTreeMap, HashMap};

use aclsan_log::CallSiteId;
use aclsan_rules::api::block::Block;
use aclsan_rules::trackers::heap::LiveBlock;
use aclsan_rules::trackers::objects::sub_block_index::{PoolId, SubBlock};

/// One place that takes parts from pools.
#[derive(Clone, Copy, Debug)]
pub struct SubSite {
    /// The first part, as a block of its own.
    pub first: LiveBlock,
    /// The number of the record of its pool.
    pub record: usize,
}

/// Live parts of blocks, by place.
#[derive(Default)]
pub struct SubSites {
    /// By number of the place.
    pub by_site: BTreeMap<usize, SubSite>,
    /// Bytes by number of the place.
    bytes: Vec<u64>,
    /// Time, thread, place and bytes of each live part.
    live: HashMap<(PoolId, u64), (u64, u32, usize, u64)>,
    /// Time and thread by address.
    since: HashMap<u64, (u64, u32)>,
    taken: u64,
}

impl SubSites {
    /// A pool gave out a part of `block`.
    pub fn add(
        &mut self,
        sub: &SubBlock,
        (block, place, record): (&Block, CallSiteId, usize),
        (ns, thread): (u64, u32),
    ) {
        let at = place.0 as usize;
        self.taken += 1;
        let order = self.taken;
        self.by_site.entry(at).or_insert_with(|| SubSite {
            first: LiveBlock {
                block: Block {
                    address: sub.address,
                    size: sub.size,
                    site: sub.site,
                    ..*block
                },
                since_ns: ns,
                thread,
                is_named: true,
                order,
                bytes: sub.size,
            },
            record,
        });
        if self.bytes.len() <= at {
            self.bytes.resize(at + 1, 0);
        }
        self.bytes[at] = self.bytes[at].saturating_add(sub.size);
        let part = (ns, thread, at, sub.size);
        self.live.insert((sub.pool, sub.address), part);
        self.since.insert(sub.address, (ns, thread));
    }

    /// The part is back in its pool, or gone with its memory.
    pub fn remove(&mut self, sub: &SubBlock) {
        if let Some((_, _, at, size)) = self.live.remove(&(sub.pool, sub.address)) {
            self.bytes[at] = self.bytes[at].saturating_sub(size);
            self.since.remove(&sub.address);
        }
    }

    /// Live bytes of a place.
    pub fn bytes(&self, at: usize) -> u64 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Live bytes of the first places; those of all others are 0.
    pub fn all_bytes(&self) -> &[u64] {
        &self.bytes
    }

    /// When the live part at `address` was taken, and by which thread.
    pub fn since(&self, address: u64) -> Option<(u64, u32)> {
        self.since.get(&address).copied()
    }
}
