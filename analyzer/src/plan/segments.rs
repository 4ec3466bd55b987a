//! Memory of the device that is live while a log is read, and what is known of each piece: who cut parts of it, and for which stream.

use std::collections::{BTreeMap, HashMap};

use aclsan_log::BlockId;

/// Memory, or a range of addresses, by number.
pub type SegmentId = u32;

/// A block of the device, or a reserved range.
#[derive(Debug, Default)]
pub struct Segment {
    pub start: u64,
    pub bytes: u64,
    pub device: i32,
    /// The pool of which it has a part.
    pub source: Option<usize>,
    /// The graph that was being captured when it was allocated, from 1; 0 for none.
    pub graph: u32,
    /// Uses of it by stream, weighted.
    uses: HashMap<u32, u32>,
}

impl Segment {
    /// The stream that used it most, by number; 0 if none did.
    pub fn stream(&self) -> u32 {
        let most = self
            .uses
            .iter()
            .max_by_key(|&(&stream, &uses)| (uses, stream));
        most.map_or(0, |(&stream, _)| stream)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Segments {
    all: Vec<Segment>,
    /// Those that are live, by start.
    live: BTreeMap<u64, SegmentId>,
    by_block: HashMap<BlockId, SegmentId>,
}

impl Segments {
    /// A block or range begins to live.
    pub fn add(
        &mut self,
        block: BlockId,
        (start, bytes): (u64, u64),
        (device, graph): (i32, u32),
    ) -> SegmentId {
        self.all.push(Segment {
            start,
            bytes,
            device,
            graph,
            ..Segment::default()
        });
        let id = (self.all.len() - 1) as SegmentId;
        self.live.insert(start, id);
        self.by_block.insert(block, id);
        id
    }

    /// It ends.
    pub fn remove(&mut self, block: BlockId) -> Option<SegmentId> {
        let id = self.by_block.remove(&block)?;
        let start = self.all[id as usize].start;
        if self.live.get(&start) == Some(&id) {
            self.live.remove(&start);
        }
        Some(id)
    }

    /// The live one that has the address.
    pub fn at(&self, address: u64) -> Option<SegmentId> {
        let (&start, &id) = self.live.range(..=address).next_back()?;
        (address - start < self.all[id as usize].bytes).then_some(id)
    }

    /// A stream used it.
    pub fn used(&mut self, id: SegmentId, stream: u32, weight: u32) {
        let uses = self.all[id as usize].uses.entry(stream).or_default();
        *uses = uses.saturating_add(weight);
    }

    /// The pool gave out a part of it.
    pub fn cut(&mut self, id: SegmentId, source: usize) {
        self.all[id as usize].source.get_or_insert(source);
    }

    /// The segment with that number.
    pub fn get(&self, id: SegmentId) -> &Segment {
        &self.all[id as usize]
    }
}
