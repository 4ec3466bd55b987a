//! What is told of the pools of one name.

use std::collections::BTreeMap;

use aclsan_log::SiteId;
use aclsan_rules::ledger::segments::Source;

use super::pool_attributes::PoolAttributeTracker;
use super::pool_stats::PoolStats;
use crate::replay::Sum;

/// The pools of one name, told by one source, on one device.
#[derive(Clone, PartialEq, Debug)]
pub struct PoolRecord {
    /// Who told.
    pub source: Source,
    /// What they are called.
    pub name: String,
    /// Where their memory is, −1 when not known.
    pub device: i32,
    /// Pools.
    pub pools: u64,
    /// Most bytes that they had to give out at once; 0 when that was not told.
    pub bytes: u64,
    /// Sub-blocks given out.
    pub allocations: u64,
    /// Of these, taken back.
    pub releases: u64,
    /// Of these, gone with their pool or its memory.
    pub dropped: u64,
    /// Sub-blocks that were live at the end, by where they were given out.
    pub live: BTreeMap<SiteId, Sum>,
    /// Bytes given out now.
    pub live_bytes: u64,
    /// Bytes of the pools' ranges now.
    pub range_bytes: u64,
    /// Most bytes given out at once, and when.
    pub peak: (u64, u64),
    /// Sub-blocks that shared bytes with another.
    pub overlaps: u64,
    /// Sub-blocks that left their pool.
    pub outside: u64,
    /// What goes on inside.
    pub inside: PoolStats,
    /// Of one of the runtime's own.
    pub attributes: Option<PoolAttributeTracker>,
}

impl PoolRecord {
    /// Nothing was told of them yet.
    pub fn new(source: Source, name: String, device: i32) -> Self {
        Self {
            source,
            name,
            device,
            pools: 0,
            bytes: 0,
            allocations: 0,
            releases: 0,
            dropped: 0,
            live: BTreeMap::new(),
            live_bytes: 0,
            range_bytes: 0,
            peak: (0, 0),
            overlaps: 0,
            outside: 0,
            inside: PoolStats::default(),
            attributes: None,
        }
    }

    /// A sub-block is the pool's again.
    pub fn take_back(&mut self, address: u64) {
        self.inside.remove(address);
        if let Some(attributes) = &mut self.attributes {
            attributes.taken_back(address);
        }
    }
}
