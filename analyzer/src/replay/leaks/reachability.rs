//! Results of leak scans: blocks that the program still had pointers to.

use aclsan_log::{BlockId, Event, Mapping, ScanGap, ScanOutcome};
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
    /// Other threads of the process.
    pub threads: u32,
    /// What it could not look into, by [`ScanGap::ALL`].
    pub gaps: [u64; ScanGap::ALL.len()],
}

/// The object from `malloc` that has the only pointer to a block, and that nothing points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostObject {
    /// Its size.
    pub size: u64,
    /// The text that is the name of its class; 0 if that is not known.
    pub class: u32,
}

/// The last scan's results, and pointers found since.
#[derive(Default)]
pub struct ScanResults {
    pending: FastMap<BlockId, Mapping>,
    pending_gaps: [u64; ScanGap::ALL.len()],
    pending_objects: FastMap<BlockId, LostObject>,
    objects: FastMap<BlockId, LostObject>,
    reported: FastMap<BlockId, (Reachability, Mapping)>,
    last: Option<Scan>,
}

impl ScanResults {
    /// A part of the scan that follows.
    pub fn part(&mut self, event: Event) {
        match event {
            Event::Pointer { block, mapping, .. } => drop(self.pending.insert(block, mapping)),
            Event::LostObject {
                block, size, class, ..
            } => drop(
                self.pending_objects
                    .insert(block, LostObject { size, class }),
            ),
            Event::Gap { what, count } => {
                let gap = &mut self.pending_gaps[what as usize];
                *gap = gap.saturating_add(count);
            }
            _ => {}
        }
    }

    /// The lost object that has the only pointer to a block.
    pub fn lost_object(&self, block: BlockId) -> Option<LostObject> {
        self.objects.get(&block).copied()
    }

    /// The scan `event` has ended; it looked for `blocks`. Blocks allocated later stay unknown.
    pub fn scanned(&mut self, event: Event, blocks: impl Iterator<Item = BlockId>) {
        let Event::Scan {
            outcome,
            bytes,
            ns,
            threads,
        } = event
        else {
            return;
        };
        let pending = std::mem::take(&mut self.pending);
        let gaps = std::mem::take(&mut self.pending_gaps);
        self.objects = std::mem::take(&mut self.pending_objects);
        // A register of a thread that was not stopped may have the only pointer.
        let without = match outcome {
            ScanOutcome::Whole if gaps[ScanGap::Threads as usize] == 0 => Reachability::Lost,
            _ => Reachability::Unknown,
        };
        let holds = blocks.map(|id| {
            let hold = match pending.get(&id) {
                None => (without, Mapping::Unknown),
                Some(Mapping::LostObject) => (without, Mapping::LostObject),
                Some(&mapping) => (Reachability::Reachable, mapping),
            };
            (id, hold)
        });
        self.reported = holds.collect();
        self.last = Some(Scan {
            outcome,
            bytes,
            ns,
            threads,
            gaps,
        });
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
