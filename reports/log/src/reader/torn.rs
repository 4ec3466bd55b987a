//! Detects torn writes after a power failure: pages of a file that were never written, or only in an older state. A segment only grows, so
//! such a page has zeros in place of records, and a record never starts with a zero byte. The record before the zeros may or may not be
//! complete.

use super::error::Corruption;
use super::source::Source;
use crate::decode::Decoder;
use crate::layout::*;

/// Maximum size of a record. What was being written when the process ended follows the committed records. Sites with their stacks and
/// properties take more than events.
fn max_record_bytes(kind: SegmentKind) -> usize {
    match kind {
        SegmentKind::Events => 1 << 9,
        SegmentKind::Definitions => 1 << 14,
    }
}

/// The unit at which disks tear.
const SECTOR: usize = 512;

/// If there is a hole, where the records that are certainly complete end: the last one before the hole may not be.
pub(super) fn hole(index: u32, header: &SegmentHeader, records: &[u8]) -> Option<usize> {
    // Eight zeros on either side of a sector boundary are rare. In a log without holes, this check is all that is done.
    let mut edges = (SECTOR - SEGMENT_HEADER_BYTES..records.len()).step_by(SECTOR);
    let is_empty = |range: &[u8]| range.iter().all(|&byte| byte == 0);
    let is_edge = |at: usize| {
        is_empty(&records[at - 8..at]) || is_empty(&records[at..records.len().min(at + 8)])
    };
    if !edges.any(is_edge) {
        return None;
    }
    let mut decoder = Decoder::new(index, header.started.ticks);
    let mut last = 0;
    loop {
        let began = decoder.offset();
        match decoder.next(records) {
            Ok(Some(_)) => last = began,
            Ok(None) => return None,
            Err(bad) => return (records[bad.offset] == 0).then_some(last),
        }
    }
}

/// Bytes after the committed records that amount to more than one record: then the header is older than they are. For a segment without a
/// header, everything that is there.
pub(super) fn after_committed(
    source: &Source,
    index: u32,
    header: Option<&SegmentHeader>,
) -> Option<Corruption> {
    let known = header.map_or(0, |header| {
        let committed = usize::try_from(header.committed).unwrap_or(usize::MAX);
        committed.min(SEGMENT_CAPACITY) + SEGMENT_HEADER_BYTES
    });
    let from = known + header.map_or(0, |header| max_record_bytes(header.kind));
    let mut rest = vec![0; SEGMENT_BYTES.checked_sub(from)?];
    let got = source
        .read(&mut rest, segment_offset(index) + from as u64)
        .unwrap_or(0);
    let last = last_nonzero(&rest[..got])?;
    Some(Corruption {
        segment: index,
        offset: segment_offset(index) + known as u64,
        lost: (from + last + 1 - known) as u64,
    })
}

/// Index of the last nonzero byte.
fn last_nonzero(bytes: &[u8]) -> Option<usize> {
    const EMPTY: [u8; 256] = [0; 256];
    // In chunks, since almost all of it is empty.
    let mut chunks = bytes.chunks(EMPTY.len());
    let number = chunks.rposition(|chunk| chunk != &EMPTY[..chunk.len()])?;
    let chunk = bytes.chunks(EMPTY.len()).nth(number)?;
    Some(number * EMPTY.len() + chunk.iter().rposition(|&byte| byte != 0)?)
}
