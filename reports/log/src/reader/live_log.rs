//! Logs that a program is still writing: the reader sees the state of one moment.
//!
//! Segments are read one after another while threads keep writing. So the reader may see one thread's release without the allocation by
//! another thread, which was not there yet when that thread's segment was read. Therefore a log is scanned twice. If no header moved in
//! between, the headers of the first scan belong to one moment, and nothing more is needed: this is so for every process that has ended,
//! killed or not. Otherwise everything is read again, and events later than the newest of the second scan are dropped.
//!
//! This leaves no gap: a writer reads the clock for a record only after everything that had to happen before it, in other threads too, is
//! committed. So whatever a kept event depends on has an earlier time and was committed before the third scan began. An event whose writer
//! had read the clock by then without committing is not read, nor is anything that followed from it, which is later still.
//!
//! What remains are clocks that differ between processors, and processors that read them speculatively. Both differ by less than the time
//! between scans, and the events of finished logs are ordered by the same clocks.

use super::error::Corruption;
use super::segment::read_segment;
use super::source::Source;
use crate::decode::Decoder;
use crate::layout::*;

/// A segment's header as one scan found it.
#[derive(PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) index: u32,
    bytes: [u8; 32],
    got: usize,
}

impl Prefix {
    /// `None` if the header is truncated: the missing bytes would be read as zeros.
    pub(crate) fn header(&self) -> Option<SegmentHeader> {
        SegmentHeader::decode(&self.bytes).filter(|_| self.got == self.bytes.len())
    }

    /// Reads the header of one segment again.
    pub(crate) fn of(source: &Source, index: u32) -> Self {
        let mut bytes = [0; 32];
        let got = source.read(&mut bytes, segment_offset(index)).unwrap_or(0);
        Self { index, bytes, got }
    }

    /// Whether there is no data.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes[..self.got].iter().all(|&byte| byte == 0)
    }

    /// Whether a program may be writing it right now: records come later.
    pub(super) fn may_be_begun(&self) -> bool {
        self.bytes[COMMITTED] == [0; 8]
    }
}

/// Iterates over the segments of a log that contain data.
pub(crate) struct SegmentScan {
    next: Option<u32>,
    length: u64,
}

impl SegmentScan {
    /// Scans a log of `length` bytes.
    pub(super) fn at(length: u64) -> Self {
        Self::from(0, length)
    }

    /// Scans the segments from number `next` on.
    pub(crate) fn from(next: u32, length: u64) -> Self {
        Self {
            next: Some(next),
            length,
        }
    }

    pub(crate) fn next(&mut self, source: &Source) -> Option<Prefix> {
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
            return Some(Prefix::of(source, index));
        }
    }
}

/// Whole segments from `offset`, the start of a segment, to the one that contains `data`; `None` if it is the same.
fn segments_before(offset: u64, data: u64) -> Option<u32> {
    let skipped = data.saturating_sub(offset) / SEGMENT_BYTES as u64;
    (skipped > 0).then(|| u32::try_from(skipped).unwrap_or(u32::MAX))
}

/// The time in ticks up to which a log must be read, and its length from then on; `None` if it is as it was `before` and can be read as it
/// is.
pub(super) fn snapshot_limit(source: &Source, before: &[Prefix]) -> Option<(u64, u64)> {
    let mut look = SegmentScan::at(source.length()?);
    let now = std::iter::from_fn(|| look.next(source));
    let now: Vec<Prefix> = now.filter(|seen| !seen.is_empty()).collect();
    if now == before {
        return None;
    }
    let until = newest_time(source, &now);
    // Asked again: what precedes the newest event may be in a segment that did not exist when this scan began.
    Some((until, source.length()?))
}

/// The newest time in these headers. A full segment counts with its start, not with its last records: an earlier limit is still one up to
/// which everything is there.
pub(crate) fn newest_time(source: &Source, seen: &[Prefix]) -> u64 {
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

/// A segment with at most this many committed bytes has room for any event, so its thread still uses it.
pub(crate) const NEARLY_FULL: u64 = SEGMENT_CAPACITY as u64 - 512;

/// Drops a segment's records after `until`.
pub(crate) fn truncate_after(index: u32, header: &SegmentHeader, bytes: &mut Vec<u8>, until: u64) {
    let (end, _) = scan_until(index, header.started.ticks, bytes, until);
    bytes.truncate(end);
}

/// Where the records up to `until` end, and the time of the last one. Malformed records count as part of them: whoever reads them reports
/// it.
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
