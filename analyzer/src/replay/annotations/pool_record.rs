//! Everything about the pools of one name.

use std::collections::BTreeMap;

use aclsan_log::CallSiteId;
use aclsan_rules::trackers::objects::sub_block_index::Source;

use super::pool_attributes::PoolAttributeTracker;
use super::pool_stats::PoolStats;
use crate::replay::Sum;

/// The pools of one name, from one source, on one device.
#[derive(Clone, PartialEq, Debug)]
pub struct PoolRecord {
    /// Who announced them.
    pub source: Source,
    /// Their name.
    pub name: String,
    /// Their device; −1 if unknown.
    pub device: i32,
    /// Number of pools.
    pub pools: u64,
    /// Peak capacity; 0 if it was not announced.
    pub bytes: u64,
    /// Sub-blocks given out.
    pub allocations: u64,
    /// Sub-blocks returned.
    pub releases: u64,
    /// Sub-blocks gone with their pool or its memory.
    pub dropped: u64,
    /// Sub-blocks live at the end, by allocation site.
    pub live: BTreeMap<CallSiteId, Sum>,
    /// Live bytes.
    pub live_bytes: u64,
    /// Bytes of the pools' ranges.
    pub range_bytes: u64,
    /// Peak of live bytes, and when.
    pub peak: (u64, u64),
    /// Sub-blocks that overlapped another.
    pub overlaps: u64,
    /// Sub-blocks that left their pool.
    pub outside: u64,
    /// Hit rate, reuse and layout.
    pub inside: PoolStats,
    /// Attributes, for a runtime pool.
    pub attributes: Option<PoolAttributeTracker>,
}

impl PoolRecord {
    /// An empty record.
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

    /// A sub-block is back in the pool.
    pub fn take_back(&mut self, address: u64) {
        self.inside.remove(address);
        if let Some(attributes) = &mut self.attributes {
            attributes.taken_back(address);
        }
    }
}
