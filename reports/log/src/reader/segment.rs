//! The bytes of a segment, and what is missing from them.

use super::error::Corruption;
use super::source::Source;
use super::torn;
use crate::layout::*;

/// Fills `bytes` with a segment's committed records, as far as the file contains them.
pub(crate) fn read_segment(
    source: &Source,
    index: u32,
    header: &SegmentHeader,
    bytes: &mut Vec<u8>,
    damage: &mut Vec<Corruption>,
) {
    let start = segment_offset(index) + SEGMENT_HEADER_BYTES as u64;
    let wanted = usize::try_from(header.committed)
        .unwrap_or(usize::MAX)
        .min(SEGMENT_CAPACITY);
    bytes.resize(wanted, 0);
    let got = source.read(bytes, start).unwrap_or(0);
    bytes.truncate(got);
    if (got as u64) < header.committed {
        damage.push(Corruption {
            segment: index,
            offset: start + got as u64,
            lost: header.committed - got as u64,
        });
    }
    if let Some(end) = torn::hole(index, header, bytes) {
        damage.push(malformed(index, end, bytes.len()));
        bytes.truncate(end);
    }
}

pub(crate) fn malformed(index: u32, at: usize, bytes: usize) -> Corruption {
    let offset = segment_offset(index) + (SEGMENT_HEADER_BYTES + at) as u64;
    Corruption {
        segment: index,
        offset,
        lost: (bytes - at) as u64,
    }
}
