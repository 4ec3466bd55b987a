//! Segments inferred from writes: what media units, models and copies wrote, until it is read.
//!
//! A written range is a segment as long as its bytes are read as they were written: from the same start to the same
//! end. If its head or tail was overwritten from elsewhere in between, two segments overlap, whatever the program's own
//! bookkeeping says. A write wholly inside a segment is an update, and a write that covers it replaces it. Blocks are
//! tracked from the first range that a media unit or a model writes.

use crate::api::block::Block;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::Finding;
use crate::evidence::operation::RangeUse;
use crate::evidence::rule::Severity;
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment};
use crate::rules::suballoc_overlap::Because;
use crate::rules::{suballoc_misaligned, suballoc_overlap, suballoc_too_small};
use aclsan_log::CallSiteId;
use aclsan_log::record::Access;
use std::collections::{BTreeMap, HashMap};

/// Who wrote a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writer {
    /// A media unit: decoders, encoders, pictures.
    Media,
    /// A model, or an operator by name.
    Model,
    /// A copy.
    Copy,
}

impl Writer {
    /// The writer whose ranges a launch names; `None` for untracked calls.
    fn of(call: &Call) -> Option<Self> {
        match call.function.effect() {
            Effect::UseMedia => Some(Self::Media),
            Effect::RunModel | Effect::RunOperator => Some(Self::Model),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Write {
    size: u64,
    site: CallSiteId,
    writer: Writer,
    /// What overwrote a part of it since.
    hit: Option<(Segment, Writer)>,
    /// What a media unit wrote since, after its end but within what it takes up.
    crowd: Option<Segment>,
}

impl Write {
    fn segment(&self, address: u64) -> Segment {
        Segment {
            address,
            size: self.size,
            site: self.site,
        }
    }
}

/// Ranges kept. Beyond that, all are forgotten.
const MAX_RANGES: usize = 1 << 16;
/// Ranges of one launch that are compared.
const MAX_LAUNCH_RANGES: usize = 64;

/// The latest writes.
#[derive(Default)]
pub struct InferredSegments {
    writes: BTreeMap<u64, Write>,
    /// Size of the largest range so far: how far before an address a range can begin that covers it.
    largest: u64,
    /// The ranges that each thread's launch has named so far.
    launches: HashMap<u32, (CallSiteId, Vec<RangeUse>)>,
    /// Whether operators in two phases run, too: nobody sees what they write, so a range that was overwritten may have
    /// been written again. Pools of frameworks reuse memory that way all the time.
    is_blind: bool,
}

impl InferredSegments {
    /// A launch names a range in `block`.
    pub fn uses(
        &mut self,
        call: &Call,
        used: &RangeUse,
        thread: u32,
        block: &Block,
        placement: Option<&PlacementRules>,
    ) -> Vec<Finding> {
        let Some(writer) = Writer::of(call).filter(|_| used.size > 0) else {
            return Vec::new();
        };
        let segment = Segment {
            address: used.address,
            size: used.size,
            site: call.site,
        };
        let mut found = Vec::from_iter(self.launched(call, used, thread, block, placement));
        match used.access {
            Access::Read => found.extend(self.read(call, &segment, block, placement)),
            Access::Write => self.wrote(&segment, writer, placement),
            Access::Both => {}
        }
        if found.is_empty()
            && let Some(placement) = placement
            && call.function.effect() == Effect::RunModel
        {
            found.extend(self.crowded(call, &segment, thread, block, placement));
        }
        let media = block.function.vendor().media_alignment;
        let plain = placement.filter(|placement| placement.alignment < media);
        if let Some(placement) = plain
            && found.is_empty()
            && call.function.effect() == Effect::RunModel
        {
            let around = || Neighbors::none(block);
            found.extend(suballoc_misaligned::check(
                call, &segment, block, around, placement,
            ));
        }
        found
    }

    /// A copy writes to `to` and reads from `from`, each with its block if that is device memory.
    pub fn copied(
        &mut self,
        call: &Call,
        count: u64,
        to: (u64, Option<&Block>),
        from: (u64, Option<&Block>),
        placement: impl Fn(&Block) -> Option<PlacementRules>,
    ) -> Option<Finding> {
        if self.writes.is_empty() || count == 0 {
            return None;
        }
        let at = |address| Segment {
            address,
            size: count,
            site: call.site,
        };
        let found = from.1.and_then(|block| {
            let placement = placement(block);
            self.read(call, &at(from.0), block, placement.as_ref())
        });
        if let Some(block) = to.1 {
            let end = block.address.saturating_add(block.size);
            if self.writes.range(block.address..end).next().is_some() {
                self.wrote(&at(to.0), Writer::Copy, None);
            }
        }
        found
    }

    /// A tensor was made for an operator in two phases.
    pub fn tensor_made(&mut self) {
        self.is_blind = true;
    }

    /// Whether nothing is known.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The memory of a block is gone.
    #[inline]
    pub fn forget(&mut self, block: &Block) {
        if !self.writes.is_empty() {
            self.forget_inside(block);
        }
    }

    fn forget_inside(&mut self, block: &Block) {
        let end = block.address.saturating_add(block.size);
        let inside: Vec<u64> = self
            .writes
            .range(block.address..end)
            .map(|(&at, _)| at)
            .collect();
        for at in inside {
            self.writes.remove(&at);
        }
    }

    /// Whether this range of a launch shares a part of its bytes with an earlier one, and either is written.
    fn launched(
        &mut self,
        call: &Call,
        used: &RangeUse,
        thread: u32,
        block: &Block,
        placement: Option<&PlacementRules>,
    ) -> Option<Finding> {
        let (site, named) = self.launches.entry(thread).or_default();
        if *site != call.site {
            (*site, *named) = (call.site, Vec::new());
        }
        let segment = |used: &RangeUse| Segment {
            address: used.address,
            size: used.size,
            site: call.site,
        };
        let new = segment(used);
        let is_in = |inner: &Segment, outer: &Segment| {
            inner.address >= outer.address && inner.end() <= outer.end()
        };
        let other = named.iter().find(|other| {
            let is_written = used.access != Access::Read || other.access != Access::Read;
            let old = segment(other);
            is_written && new.shared(&old) > 0 && !is_in(&new, &old) && !is_in(&old, &new)
        });
        let other = other.copied();
        if named.len() < MAX_LAUNCH_RANGES {
            named.push(*used);
        }
        let other = other?;
        // The message is about the written range.
        let (written, other) = match used.access {
            Access::Read => (segment(&other), new),
            _ => (new, segment(&other)),
        };
        let around = Neighbors::none(block);
        suballoc_overlap::check(call, &written, &other, Because::Launch, &around, placement)
    }

    /// Whether this range of a model's launch is inside what an earlier range takes up, or the other way round. A length
    /// that is a multiple of 32 may already be rounded by the program, padding included (onnxruntime's arena returns
    /// such lengths).
    fn crowded(
        &self,
        call: &Call,
        new: &Segment,
        thread: u32,
        block: &Block,
        placement: &PlacementRules,
    ) -> Option<Finding> {
        let (_, named) = self.launches.get(&thread)?;
        let others = named.iter().filter(|other| block.covers(other.address));
        others
            .filter_map(|other| {
                let other = Segment {
                    address: other.address,
                    size: other.size,
                    site: call.site,
                };
                let is_before = other.address < new.address;
                let first = if is_before { &other } else { new };
                if first.size.is_multiple_of(32) {
                    return None;
                }
                let around = Neighbors {
                    before: Some(other).filter(|_| is_before),
                    behind: Some(other).filter(|_| !is_before),
                    ..Neighbors::none(block)
                };
                suballoc_too_small::check(call, new, &around, placement)
            })
            .next()
            .map(|found| found.severity(Severity::Warning))
    }

    /// This thread's launch is over. The next one from the same call site is another.
    pub fn launched_at(&mut self, thread: u32) {
        self.launches.remove(&thread);
    }

    fn wrote(&mut self, new: &Segment, writer: Writer, placement: Option<&PlacementRules>) {
        if self.writes.len() >= MAX_RANGES {
            self.writes.clear();
        }
        let taken = placement.map_or(new.size, |placement| placement.taken(new.size));
        let lowest = new.address.saturating_sub(self.largest.saturating_add(64));
        let highest = new.address.saturating_add(taken.max(new.size));
        let (mut covered, mut crowd) = (Vec::new(), None);
        for (&address, write) in self.writes.range_mut(lowest..highest) {
            let old = write.segment(address);
            let is_media = writer == Writer::Media && write.writer == Writer::Media;
            if old.address == new.address || old.address > new.address && old.end() <= new.end() {
                covered.push(address);
            } else if new.address > old.address && new.end() <= old.end() {
                // An update of what was written.
            } else if new.shared(&old) > 0 {
                write.hit.get_or_insert((*new, writer));
            } else if is_media && new.address >= old.end() {
                let is_close = placement
                    .is_some_and(|placement| new.address - old.address < placement.taken(old.size));
                if is_close {
                    write.crowd = Some(*new);
                }
            } else if is_media && old.address >= new.end() {
                crowd.get_or_insert(old);
            }
        }
        // A segment that begins after it and is covered except for its own padding is gone, and no neighbor any more.
        let crowd = crowd.filter(|crowd: &Segment| !covered.contains(&crowd.address));
        for address in covered {
            self.writes.remove(&address);
        }
        self.largest = self.largest.max(new.size);
        let write = Write {
            size: new.size,
            site: new.site,
            writer,
            hit: None,
            crowd,
        };
        self.writes.insert(new.address, write);
    }

    /// A range is read. Says nothing unless it is read from its start to its end.
    fn read(
        &mut self,
        call: &Call,
        read: &Segment,
        block: &Block,
        placement: Option<&PlacementRules>,
    ) -> Option<Finding> {
        let write = *self.writes.get(&read.address)?;
        if write.size != read.size {
            return None;
        }
        let around = Neighbors::none(block);
        let is_media = |(_, by): &(Segment, Writer)| *by == Writer::Media && write.writer == *by;
        let hit = write.hit.filter(|hit| !self.is_blind || is_media(hit));
        if write.hit.is_some() && hit.is_none() {
            return None;
        }
        if let Some((other, by)) = hit {
            let found =
                suballoc_overlap::check(call, read, &other, Because::Read, &around, placement)?;
            let is_copy = by == Writer::Copy || write.writer == Writer::Copy;
            // The ends of a copy are not certain to be those of a segment.
            let severity = if is_copy {
                Severity::Warning
            } else {
                Severity::Error
            };
            return Some(found.severity(severity));
        }
        let placement = placement.filter(|_| {
            write.writer == Writer::Media && call.function.effect() == Effect::RunModel
        })?;
        let segment = write.segment(read.address);
        let behind = Neighbors {
            behind: write.crowd,
            ..around
        };
        let media = block.function.vendor().media_alignment;
        suballoc_misaligned::check_fed(call, &segment, &around, placement)
            .filter(|_| placement.alignment < media)
            .or_else(|| suballoc_too_small::check(call, &segment, &behind, placement))
    }
}

#[cfg(test)]
mod tests;
