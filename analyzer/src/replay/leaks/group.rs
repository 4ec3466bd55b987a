//! Blocks of one allocation site with one fate.

use std::collections::BTreeMap;

use aclsan_log::{CallSiteId, Mapping};
use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::trackers::heap::LiveBlock;

use crate::replay::annotations::Names;
use crate::replay::totals::Sum;

/// Names kept per group.
const MAX_NAMES: usize = 8;

/// Call site and time of a device reset.
pub type Reset = (CallSiteId, u64);

/// Leaked blocks of one allocation site that ended the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The oldest block.
    pub first: LiveBlock,
    /// Blocks on record.
    pub recorded: u64,
    /// Weighted number of blocks: larger in a sample.
    pub blocks: u64,
    /// How far `bytes` may be off.
    pub spread: Spread,
    /// Blocks of calls that recorded their caller only.
    pub cut: u64,
    /// Bytes.
    pub bytes: u64,
    /// Size of the largest block.
    pub largest: u64,
    /// When the youngest block was allocated.
    pub youngest_ns: u64,
    /// The reset that freed them, if one did.
    pub reset: Option<Reset>,
    /// Whether pointers to them were found, and where the first block's pointer was.
    pub hold: Reachability,
    pub mapping: Mapping,
    /// The finding of the wrong release because of which they were kept.
    pub keeper: Option<usize>,
    /// What a pool makes of them.
    pub pool: Option<PoolShare>,
    /// The first few names that the program gave them, as text numbers.
    pub names: Vec<u32>,
    /// By thread, age and epoch.
    pub parts: BTreeMap<Part, Sum>,
}

/// What a pool makes of leaked memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PoolShare {
    /// Whole blocks, nothing of which is in use; the number of the pool's name.
    Cache(u64),
    /// Parts that are in use; the number of the pool's name, and whether the program itself reported the pool.
    Parts(u64, bool),
}

/// Key of a part of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The allocating thread.
    pub thread: u32,
    /// Upper bound of the age at the end: a power of ten from one millisecond on.
    pub below_ns: u64,
    /// The epoch of the allocation, from 1; 0 if it was in none.
    pub epoch: u32,
}

impl Group {
    pub fn new(
        first: LiveBlock,
        reset: Option<Reset>,
        (hold, mapping): (Reachability, Mapping),
    ) -> Self {
        Self {
            first,
            recorded: 0,
            blocks: 0,
            spread: Spread::default(),
            cut: 0,
            bytes: 0,
            largest: 0,
            youngest_ns: 0,
            reset,
            hold,
            mapping,
            keeper: None,
            pool: None,
            names: Vec::new(),
            parts: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, held: &LiveBlock, mapping: Mapping, names: &Names) {
        if !names.is_empty()
            && let Some(&name) = names.get(&held.block.id)
            && self.names.len() < MAX_NAMES
            && !self.names.contains(&name)
        {
            self.names.push(name);
        }
        if held.order < self.first.order {
            (self.first, self.mapping) = (*held, mapping);
        }
        self.recorded += 1;
        self.blocks += held.blocks();
        self.bytes = self.bytes.saturating_add(held.bytes);
        self.spread.add(held.block.size, held.bytes);
        self.largest = self.largest.max(held.block.size);
        self.youngest_ns = self.youngest_ns.max(held.since_ns);
    }
}
