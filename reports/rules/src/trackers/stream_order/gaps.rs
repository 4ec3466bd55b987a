//! Missing edges: which races one edge would have ordered.

use std::collections::HashMap;

use aclsan_log::BlockId;

use super::access::Access;
use super::epoch::Epoch;
use super::timelines::HappensBefore;
use crate::evidence::gap::GapId;
use crate::evidence::race::TimelineKind;

/// Gaps that are remembered. Beyond that, all are forgotten, and the next race begins another one.
const MAX_GAPS: usize = 4096;

/// The gap that the first race about a block showed.
#[derive(Clone, Copy)]
struct Gap {
    id: GapId,
    /// The earlier operation of the first race.
    first: Epoch,
    /// The last operation that was queued on its timeline by then: the missing edge would start there at the latest.
    until: u64,
}

/// The last gap of each block, between each two timelines, in one direction.
#[derive(Default)]
pub(super) struct Gaps {
    known: HashMap<(BlockId, TimelineKind, TimelineKind), Gap>,
    made: u64,
}

impl Gaps {
    /// The gap that makes `old` race with the next operation of `timeline` about `block`. It is the last one between the
    /// two as long as `old` was queued before that showed, and no wait has ordered its first race since.
    pub fn between(
        &mut self,
        block: BlockId,
        old: &Access,
        timeline: usize,
        timelines: &HappensBefore,
    ) -> GapId {
        let key = (block, old.side.timeline_kind, timelines.kind_of(timeline));
        if let Some(gap) = self.known.get(&key)
            && old.epoch.time <= gap.until
            && !timelines.is_before(gap.first, timeline)
        {
            return gap.id;
        }
        if self.known.len() >= MAX_GAPS {
            self.known.clear();
        }
        self.made += 1;
        let gap = Gap {
            id: GapId(self.made),
            first: old.epoch,
            until: timelines.now(old.epoch.timeline),
        };
        self.known.insert(key, gap);
        gap.id
    }
}
