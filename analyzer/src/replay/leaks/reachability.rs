//! Results of leak scans: blocks that the program still had pointers to.

use aclsan_log::{BlockId, Mapping, ScanOutcome};
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::evidence::reachability::Reachability;

use super::group::{Group, Part};

/// One scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// How far it got.
    pub outcome: ScanOutcome,
    /// Bytes read.
    pub bytes: u64,
    /// Its duration.
    pub ns: u64,
    /// Other threads that ran during the scan.
    pub threads: u32,
}

/// The last scan's results, and pointers found since.
#[derive(Default)]
pub struct ScanResults {
    pending: FastMap<BlockId, Mapping>,
    reported: FastMap<BlockId, (Reachability, Mapping)>,
    last: Option<Scan>,
}

impl ScanResults {
    /// A scan found a pointer.
    pub fn pointer(&mut self, block: BlockId, mapping: Mapping) {
        self.pending.insert(block, mapping);
    }

    /// The scan has ended; it looked for `blocks`. Blocks allocated later stay unknown.
    pub fn scanned(&mut self, scan: Scan, blocks: impl Iterator<Item = BlockId>) {
        let pending = std::mem::take(&mut self.pending);
        let without = match scan.outcome {
            ScanOutcome::Whole => Reachability::Lost,
            ScanOutcome::Cut | ScanOutcome::Failed => Reachability::Unknown,
        };
        let holds = blocks.map(|id| {
            let hold = match pending.get(&id) {
                None => (without, Mapping::Unknown),
                Some(Mapping::LostObject) => (Reachability::Lost, Mapping::LostObject),
                Some(&mapping) => (Reachability::Reachable, mapping),
            };
            (id, hold)
        });
        self.reported = holds.collect();
        self.last = Some(scan);
    }

    /// The last scan's result for a block.
    pub fn of(&self, block: BlockId) -> (Reachability, Mapping) {
        self.reported.get(&block).copied().unwrap_or_default()
    }

    /// The last scan.
    pub fn last(&self) -> Option<Scan> {
        self.last
    }
}

/// Classifies a group whose site allocated `allocated` blocks in all: blocks that were allocated once and kept are a cache. `has_epochs`
/// says whether the program marked its steps.
pub fn of_group(group: &Group, allocated: u64, has_epochs: bool) -> Reachability {
    let is_kept = group.hold == Reachability::Reachable && allocated == group.blocks;
    let is_before = |part: &Part| part.epoch == 0;
    let is_once = group.blocks == 1 || has_epochs && group.parts.keys().all(is_before);
    match is_kept && is_once {
        true => Reachability::Cache,
        false => group.hold,
    }
}
