//! Logs that their program still writes: what is read of them is what there was up to one moment.
//!
//! Segments are read one after another while threads go on writing, so that one thread's release may be read whose allocation, by another
//! thread, was not there yet when that thread's segment was read. A log is therefore looked at twice. If no header has moved in between, the
//! headers of the first look are those of one moment, and nothing more is done: so it is with the log of every process that has ended,
//! killed or not. If one has, everything is read once more, and events after the newest of the second look are left out.
//!
//! That leaves no gap: a writer reads the clock for a record only after all that had to happen before it, by other threads too, is
//! committed. So whatever an event that is kept depends on has an earlier time, and was committed before the third look began. An event whose
//! writer had read the clock by then and had not committed is not read, and neither is any that came of it: that one is later still.
//! What remains are clocks that differ between processors, and processors that read them ahead of their turn: both by less than the looks
//! are apart, and events of finished logs are put in order by the same clocks.

use super::error::Corruption;
use super::segment::read_segment;
use super::source::Source;
use crate::decode::Decoder;
use crate::layout::*;

/// A segment's header as it was when it was looked at.
#[derive(PartialEq, Eq)]
pub(super) struct Prefix {
    pub(super) index: u32,
    bytes: [u8; 32],
    got: usize,
}

impl Prefix {
    /// Of a header that is cut off, the rest would be read as zeros.
    pub(super) fn header(&self) -> Option<SegmentHeader> {
        SegmentHeader::decode(&self.bytes).filter(|_| self.got == self.bytes.len())
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes[..self.got].iter().all(|&byte| byte == 0)
    }

    /// Whether a program may just be writing it: records come later.
    pub(super) fn may_be_begun(&self) -> bool {
        self.bytes[COMMITTED] == [0; 8]
    }
}

/// The segments of a log that have any data, one after another.
pub(super) struct SegmentScan {
    next: Option<u32>,
    length: u64,
}

impl SegmentScan {
    /// At a log of `length` bytes.
    pub(super) fn at(length: u64) -> Self {
        Self {
            next: Some(0),
            length,
        }
    }

    pub(super) fn next(&mut self, source: &Source) -> Option<Prefix> {
        loop {
            let index = self.next?;
            let offset = segment_offset(index);
            let data = (offset < self.length)
                .then(|| source.next_data(offset))
                .flatten()?;
            if let Some(skipped) = segments_before(offset, data) {
                self.next = index.checked_add(skipped);
                continue;
            }
            self.next = index.checked_add(1);
            let mut bytes = [0; 32];
            let got = source.read(&mut bytes, offset).unwrap_or(0);
            return Some(Prefix { index, bytes, got });
        }
    }
}

/// Whole segments from `offset`, where one begins, to the one that `data` lies in; `None` if that is this one.
fn segments_before(offset: u64, data: u64) -> Option<u32> {
    let skipped = data.saturating_sub(offset) / SEGMENT_BYTES as u64;
    (skipped > 0).then(|| u32::try_from(skipped).unwrap_or(u32::MAX))
}

/// The time in ticks up to which a log is to be read, and how long it is from then on; `None` if it is as it was `before`, and may be read as
/// it is.
pub(super) fn snapshot_limit(source: &Source, before: &[Prefix]) -> Option<(u64, u64)> {
    let mut look = SegmentScan::at(source.length()?);
    let now = std::iter::from_fn(|| look.next(source));
    let now: Vec<Prefix> = now.filter(|seen| !seen.is_empty()).collect();
    if now == before {
        return None;
    }
    let until = newest_time(source, &now);
    // Asked again: what came before the newest may lie in a segment that was not there when this look began.
    Some((until, source.length()?))
}

/// The newest time that these headers tell of. Segments without room are not asked for their last records: a time that is too early is none
/// the less one up to which all is there.
fn newest_time(source: &Source, seen: &[Prefix]) -> u64 {
    let mut bytes = Vec::new();
    let times = seen.iter().filter_map(|seen| {
        let header = seen.header().filter(|is| is.kind == SegmentKind::Events)?;
        let ticks = header.started.ticks;
        if header.committed > NEARLY_FULL {
            return Some(ticks);
        }
        let (index, mut unwanted) = (seen.index, Vec::<Corruption>::new());
        read_segment(source, index, &header, &mut bytes, &mut unwanted);
        Some(scan_until(index, ticks, &bytes, u64::MAX).1)
    });
    times.max().unwrap_or(0)
}

/// Committed bytes of a segment that its thread goes on with: what is left has room for any event.
const NEARLY_FULL: u64 = SEGMENT_CAPACITY as u64 - 512;

/// Takes from a segment's records those after `until`.
pub(crate) fn truncate_after(index: u32, header: &SegmentHeader, bytes: &mut Vec<u8>, until: u64) {
    let (end, _) = scan_until(index, header.started.ticks, bytes, until);
    bytes.truncate(end);
}

/// Where the records up to `until` end, and the time of the last one. What cannot be read belongs to them: whoever reads it tells.
fn scan_until(index: u32, started: u64, records: &[u8], until: u64) -> (usize, u64) {
    let mut decoder = Decoder::new(index, started);
    let mut last = started;
    loop {
        let end = decoder.offset();
        match decoder.next(records) {
            Ok(Some((ticks, _))) if ticks > until => return (end, last),
            Ok(Some((ticks, _))) => last = ticks,
            Ok(None) | Err(_) => return (records.len(), last),
        }
    }
}
