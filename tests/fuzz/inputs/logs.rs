//! Logs in a few hundred bytes: a real log has 64 KiB per segment, mostly zeros, which mutations cannot get through.
//!
//! ```text
//! small    = header, segment*
//! header   = 0 | 2, u16, end                        ordinary, or also with those bytes of an end
//!          | any other byte, 56 bytes               or those bytes
//! segment  = 1 or 2 (its kind), u16, records        an ordinary header, and u16 bytes of records
//!          | any other byte, 32 bytes, u16, records a header of those bytes
//! ```
//! Anything past the end of the bytes is omitted. Also read by `tests/scenarios/hostile`, which turns each seed into a log and reads it.

use aclsan_log::end::END;
use aclsan_log::layout::*;

/// Expands `small` into a log.
pub fn expand(small: &[u8]) -> Vec<u8> {
    let mut rest = small;
    let mut log = match take(&mut rest, 1) {
        [0] | [] => ordinary().encode().to_vec(),
        [2] => {
            let mut header = ordinary().encode().to_vec();
            header.resize(END.start, 0);
            let length = take(&mut rest, 2).iter().rev();
            let length = length.fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            header.extend_from_slice(take(&mut rest, length.min(END.len())));
            header
        }
        _ => take(&mut rest, HEADER_USED).to_vec(),
    };
    log.resize(HEADER_BYTES, 0);
    while let [kind, ..] = *rest {
        take(&mut rest, 1);
        let raw = match kind {
            1 | 2 => None,
            _ => Some(take(&mut rest, 32).to_vec()),
        };
        let length = take(&mut rest, 2).iter().rev();
        let length = length.fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let records = take(&mut rest, length.min(SEGMENT_CAPACITY));
        let mut header = raw.unwrap_or_else(|| {
            let kind = [SegmentKind::Definitions, SegmentKind::Events][usize::from(kind == 1)];
            let committed = records.len() as u64;
            let started = Instant::default();
            let header = SegmentHeader {
                kind,
                started,
                committed,
            };
            header.encode().to_vec()
        });
        header.resize(SEGMENT_HEADER_BYTES, 0);
        log.extend(header);
        log.extend(records);
        // The last segment of a log may be truncated after its records.
        if !rest.is_empty() {
            log.resize(log.len().next_multiple_of(SEGMENT_BYTES), 0);
        }
    }
    log
}

/// The inverse of [`expand`], with the same content: headers become ordinary except for their kinds and times.
pub fn shrink(log: &[u8]) -> Vec<u8> {
    let mut small = vec![1];
    small.extend(&log[..HEADER_USED]);
    for segment in log[HEADER_BYTES..].chunks(SEGMENT_BYTES) {
        let Some(header) = segment.first_chunk::<32>() else {
            break;
        };
        let Some(read) = SegmentHeader::decode(header) else {
            continue;
        };
        let room = &segment[SEGMENT_HEADER_BYTES.min(segment.len())..];
        let records = &room[..room.len().min(read.committed as usize)];
        small.push(0xff);
        small.extend(header);
        small.extend((records.len() as u16).to_le_bytes());
        small.extend(records);
    }
    small
}

fn ordinary() -> Header {
    Header {
        version: VERSION,
        pid: 1,
        clock: ClockSource::Monotonic,
        started: Instant::default(),
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count.min(rest.len()));
    *rest = left;
    taken
}
