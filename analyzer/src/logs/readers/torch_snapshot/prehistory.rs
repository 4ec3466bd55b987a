//! The state before the first entry of a history. The allocator keeps the last entries only, but the state at the end and the releases
//! between say what must have been allocated earlier.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ranges::Ranges;
use super::snapshot::*;

/// An entry with its device, in order of time.
pub type Timed<'a> = (i32, &'a Entry);

/// All entries in order of time; those of a device stay in their own order.
pub fn timeline(snapshot: &Snapshot) -> Vec<(u64, Timed<'_>)> {
    let mut all = Vec::new();
    for (device, trace) in snapshot.traces.iter().enumerate() {
        let mut latest = 0;
        for entry in trace {
            latest = entry.time_us.max(latest);
            all.push((latest, (i32::try_from(device).unwrap_or(i32::MAX), entry)));
        }
    }
    all.sort_by_key(|(time_us, _)| *time_us);
    all
}

/// A segment or a block that was there at the beginning.
#[derive(Clone, PartialEq, Debug)]
pub struct Early {
    pub device: i32,
    pub range: (u64, u64),
    pub pool: (u64, u64),
    pub stack: StackId,
    /// Whether it is mapped into a larger range of addresses.
    pub is_mapped: bool,
}

/// What the history presupposes.
#[derive(Default)]
pub struct Prehistory {
    pub segments: Vec<Early>,
    pub blocks: Vec<Early>,
    /// Rounded size of the blocks that are there at the end, by the number of the entry that allocated them.
    pub sizes: HashMap<usize, u64>,
    /// Where segments are cut, so that what is unmapped together is a whole number of them.
    pub cuts: BTreeSet<(i32, u64)>,
    /// Segments at the end, with their pools.
    pub last: Ranges<(u64, u64)>,
}

impl Prehistory {
    /// The pool of an entry; older versions say it only of segments.
    pub fn pool(&self, device: i32, entry: &Entry) -> (u64, u64) {
        let of_segment = || {
            let place = (entry.address, entry.address.saturating_add(1));
            let (from, _) = self.last.over(device, place).next()?;
            self.last.get(device, from).copied()
        };
        entry.pool.or_else(of_segment).unwrap_or_default()
    }
}

/// Infers it. `work` bounds the ranges looked at, as a history that is none may overlap itself everywhere.
pub fn infer(snapshot: &Snapshot, timeline: &[(u64, Timed)], work: &mut usize) -> Prehistory {
    let mut known = Prehistory::default();
    for segment in &snapshot.segments {
        let end = segment.address.saturating_add(segment.size);
        let range = (segment.address, end);
        known.last.insert(segment.device, range, segment.pool);
    }
    let mut segments: Ranges<()> = Ranges::default();
    // Blocks by address, with the entry that allocated them.
    let mut blocks: BTreeMap<(i32, u64), Option<usize>> = BTreeMap::new();
    for (number, (_, (device, entry))) in timeline.iter().enumerate() {
        let (device, at) = (*device, entry.address);
        let range = (at, at.saturating_add(entry.size));
        let pool = known.pool(device, entry);
        let early = |range| Early {
            device,
            range,
            pool,
            stack: StackId::default(),
            is_mapped: entry.action == Action::SegmentUnmap,
        };
        match entry.action {
            Action::Alloc => {
                blocks.insert((device, at), Some(number));
            }
            Action::FreeCompleted => {
                let allocated = blocks.remove(&(device, at));
                let is_early = allocated.is_none();
                known.blocks.extend(is_early.then(|| early(range)));
            }
            Action::SegmentAlloc | Action::SegmentMap => {
                for gap in segments.gaps(device, range, work) {
                    segments.insert(device, gap, ());
                }
            }
            Action::SegmentFree | Action::SegmentUnmap => {
                for gap in segments.gaps(device, range, work) {
                    known.segments.push(early(gap));
                    segments.insert(device, gap, ());
                }
                known.cuts.extend([(device, range.0), (device, range.1)]);
                let over: Vec<_> = segments.over(device, range).collect();
                for (from, to) in over {
                    segments.remove(device, from);
                    for rest in [(from, range.0), (range.1, to)] {
                        if rest.0 < rest.1 {
                            segments.insert(device, rest, ());
                        }
                    }
                }
            }
            _ => {}
        }
    }
    for segment in &snapshot.segments {
        let early = |range, stack| Early {
            device: segment.device,
            range,
            pool: segment.pool,
            stack,
            is_mapped: segment.is_expandable,
        };
        let end = segment.address.saturating_add(segment.size);
        for gap in segments.gaps(segment.device, (segment.address, end), work) {
            known.segments.push(early(gap, segment.stack));
            segments.insert(segment.device, gap, ());
        }
        for block in segment.blocks.iter().filter(|block| is_given(block)) {
            match blocks.get(&(segment.device, block.address)) {
                Some(Some(entry)) => {
                    known.sizes.insert(*entry, block.size);
                }
                Some(None) => {}
                None => {
                    let end = block.address.saturating_add(block.size);
                    known.blocks.push(early((block.address, end), block.stack));
                    blocks.insert((segment.device, block.address), None);
                }
            }
        }
    }
    known
}

/// Whether the block belongs to a tensor, or did and waits for a stream.
pub fn is_given(block: &Block) -> bool {
    block.state != State::Inactive
}
