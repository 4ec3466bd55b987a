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
    /// Graphs that were being captured when it was allocated: stream and number from 1.
    captures: Vec<(u32, u32)>,
    /// The stream of the first launch that used a part which was new, and of the first use of any other kind.
    first: Option<u32>,
    other: Option<u32>,
}

impl Segment {
    /// The stream that it was allocated for, by number: the first one that used it, as far as is known; 0 if none did. Parts may be used on
    /// other streams, too, even more often.
    pub fn stream(&self) -> u32 {
        self.first.or(self.other).unwrap_or(0)
    }

    /// The graph whose capture it was allocated for, which is on its stream; 0 for none.
    pub fn graph(&self) -> u32 {
        let stream = self.stream();
        let of_stream = self.captures.iter().find(|(of, _)| *of == stream);
        of_stream.map_or(0, |&(_, graph)| graph)
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
        (device, captures): (i32, Vec<(u32, u32)>),
    ) -> SegmentId {
        self.all.push(Segment {
            start,
            bytes,
            device,
            captures,
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

    /// A stream used it; `is_first` if it launched the first operator on a part.
    pub fn used(&mut self, id: SegmentId, stream: u32, is_first: bool) {
        let segment = &mut self.all[id as usize];
        let known = match is_first {
            true => &mut segment.first,
            false => &mut segment.other,
        };
        known.get_or_insert(stream);
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
