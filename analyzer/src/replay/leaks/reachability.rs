//! Pointers that scans of the program's memory found: which blocks it still knew at the end.

use aclsan_log::{BlockId, Mapping, Outcome};
use aclsan_rules::Hold;
use aclsan_rules::numbers::ByNumber;

use super::group::{Group, Part};

/// A scan that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// How far it came.
    pub outcome: Outcome,
    /// Bytes that were read.
    pub bytes: u64,
    /// How long it took.
    pub ns: u64,
    /// Other threads that ran meanwhile.
    pub threads: u32,
}

/// The last scan, and what came before the next.
#[derive(Default)]
pub struct ScanResults {
    pending: ByNumber<BlockId, Mapping>,
    told: ByNumber<BlockId, (Hold, Mapping)>,
    last: Option<Scan>,
}

impl ScanResults {
    /// A pointer was found.
    pub fn pointer(&mut self, block: BlockId, mapping: Mapping) {
        self.pending.insert(block, mapping);
    }

    /// The scan has ended; `blocks` were looked for. One that allocates later is not spoken of.
    pub fn scanned(&mut self, scan: Scan, blocks: impl Iterator<Item = BlockId>) {
        let pending = std::mem::take(&mut self.pending);
        let without = match scan.outcome {
            Outcome::Whole => Hold::Lost,
            Outcome::Cut | Outcome::Failed => Hold::Unknown,
        };
        let holds = blocks.map(|id| {
            let hold = pending.get(&id).map(|&mapping| (Hold::Reachable, mapping));
            (id, hold.unwrap_or((without, Mapping::Unknown)))
        });
        self.told = holds.collect();
        self.last = Some(scan);
    }

    /// What the last scan says of a block.
    pub fn of(&self, block: BlockId) -> (Hold, Mapping) {
        self.told.get(&block).copied().unwrap_or_default()
    }

    /// The last scan.
    pub fn last(&self) -> Option<Scan> {
        self.last
    }
}

/// What a group of blocks is, of whose place `allocated` blocks came in all: one that was made once and kept is a cache. `has_epochs` says
/// that the program told of its steps.
pub fn of_group(group: &Group, allocated: u64, has_epochs: bool) -> Hold {
    let is_kept = group.hold == Hold::Reachable && allocated == group.blocks;
    let is_before = |part: &Part| part.epoch == 0;
    let is_once = group.blocks == 1 || has_epochs && group.parts.keys().all(is_before);
    match is_kept && is_once {
        true => Hold::Cache,
        false => group.hold,
    }
}
