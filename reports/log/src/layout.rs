//! The two fixed headers, and the sizes of things.

use std::ops::Range;

/// The layout version that this crate writes, and the newest that it reads.
pub const VERSION: u16 = 2;
/// First bytes of every event log.
pub const MAGIC: [u8; 8] = *b"ACLSANEV";
/// First bytes of every segment in use.
pub const SEGMENT_MAGIC: [u8; 4] = *b"SEGM";
/// Size of the header, which is almost entirely a hole. Segments follow it, aligned for `mmap` even with 64 KiB pages.
pub const HEADER_BYTES: usize = 64 * 1024;
/// Bytes of the header that carry data.
pub const HEADER_USED: usize = 56;
/// Where the file counts what the writer could not write, after the header: events, then stacks.
pub const LOST: Range<usize> = 56..72;
/// Size of a segment, including its header.
pub const SEGMENT_BYTES: usize = 64 * 1024;
/// Size of a segment's header.
pub const SEGMENT_HEADER_BYTES: usize = 64;
/// Bytes that a segment has for records.
pub const SEGMENT_CAPACITY: usize = SEGMENT_BYTES - SEGMENT_HEADER_BYTES;
/// Where a segment keeps its `committed` count: the only field that changes, in one aligned 8-byte store.
pub const COMMITTED: Range<usize> = 24..32;
/// Deepest stack of a [`Definition::Site`](crate::Definition::Site), in frames. At ten bytes a frame it still fits a segment.
pub const MAX_FRAMES: usize = 1024;

/// What `ticks` count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ClockSource {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    Monotonic = 0,
    /// The processor's own counter; the headers give its rate.
    Counter = 1,
}

/// One instant on three clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Instant {
    /// The log's own clock.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC` in nanoseconds.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME` in nanoseconds since 1970; 0 in a segment's header, which does not store it.
    pub realtime_ns: u64,
}

/// The header without its padding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Layout version.
    pub version: u16,
    /// Process that wrote the log.
    pub pid: u32,
    /// What ticks count.
    pub clock: ClockSource,
    /// When the log began.
    pub started: Instant,
}

impl Header {
    /// The first [`HEADER_BYTES`] of a log, without the trailing zeros.
    pub fn encode(&self) -> [u8; HEADER_USED] {
        let mut out = [0; HEADER_USED];
        out[0..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&self.version.to_le_bytes());
        out[12..16].copy_from_slice(&(HEADER_BYTES as u32).to_le_bytes());
        out[16..20].copy_from_slice(&(SEGMENT_BYTES as u32).to_le_bytes());
        out[20..24].copy_from_slice(&self.pid.to_le_bytes());
        out[24] = self.clock as u8;
        out[32..40].copy_from_slice(&self.started.ticks.to_le_bytes());
        out[40..48].copy_from_slice(&self.started.monotonic_ns.to_le_bytes());
        out[48..56].copy_from_slice(&self.started.realtime_ns.to_le_bytes());
        out
    }

    /// Reads the bytes of [`Header::encode`]; the caller has checked magic and version. `None` if a size or the clock is not one of this
    /// version.
    pub fn decode(bytes: &[u8; HEADER_USED]) -> Option<Self> {
        let sizes_fit = u32_at(bytes, 12) as usize == HEADER_BYTES
            && u32_at(bytes, 16) as usize == SEGMENT_BYTES;
        let clock = match bytes[24] {
            0 => ClockSource::Monotonic,
            1 => ClockSource::Counter,
            _ => return None,
        };
        sizes_fit.then(|| Self {
            version: u16_at(bytes, 8),
            pid: u32_at(bytes, 20),
            clock,
            started: Instant {
                ticks: u64_at(bytes, 32),
                monotonic_ns: u64_at(bytes, 40),
                realtime_ns: u64_at(bytes, 48),
            },
        })
    }
}

/// What could not be written. A lower bound if the writer was killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// Events.
    pub events: u64,
    /// Stacks of calls that were recorded without one.
    pub stacks: u64,
}

impl Lost {
    /// The bytes at [`LOST`].
    pub fn encode(&self) -> [u8; 16] {
        let mut out = [0; 16];
        out[..8].copy_from_slice(&self.events.to_le_bytes());
        out[8..].copy_from_slice(&self.stacks.to_le_bytes());
        out
    }

    /// Reads [`Lost::encode`]'s bytes.
    pub fn decode(bytes: &[u8; 16]) -> Self {
        Self {
            events: u64_at(bytes, 0),
            stacks: u64_at(bytes, 8),
        }
    }
}

/// What the records of a segment are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SegmentKind {
    /// What happened: [`Event`](crate::Event)s.
    Events = 1,
    /// What events refer to: [`Definition`](crate::Definition)s.
    Definitions = 2,
}

/// A segment's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentHeader {
    /// What the records are.
    pub kind: SegmentKind,
    /// The instant from which the first record's `elapsed` counts.
    pub started: Instant,
    /// Bytes of whole records after the header.
    pub committed: u64,
}

impl SegmentHeader {
    /// The first [`SEGMENT_HEADER_BYTES`] of a segment, without the trailing zeros.
    pub fn encode(&self) -> [u8; 32] {
        let mut out = [0; 32];
        out[0..4].copy_from_slice(&SEGMENT_MAGIC);
        out[4] = self.kind as u8;
        out[8..16].copy_from_slice(&self.started.ticks.to_le_bytes());
        out[16..24].copy_from_slice(&self.started.monotonic_ns.to_le_bytes());
        out[COMMITTED].copy_from_slice(&self.committed.to_le_bytes());
        out
    }

    /// Reads the bytes of [`SegmentHeader::encode`]. `None` if the segment was never begun or its header is damaged.
    pub fn decode(bytes: &[u8; 32]) -> Option<Self> {
        let kind = match bytes[4] {
            1 => SegmentKind::Events,
            2 => SegmentKind::Definitions,
            _ => return None,
        };
        (bytes[0..4] == SEGMENT_MAGIC).then(|| Self {
            kind,
            started: Instant {
                ticks: u64_at(bytes, 8),
                monotonic_ns: u64_at(bytes, 16),
                realtime_ns: 0,
            },
            committed: u64_at(bytes, COMMITTED.start),
        })
    }
}

/// File offset of a segment.
pub(crate) fn segment_offset(index: u32) -> u64 {
    HEADER_BYTES as u64 + u64::from(index) * SEGMENT_BYTES as u64
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

// Readers built years from now parse these offsets. Moving one must fail here, next to the version that has to be raised with it.
const _: () = {
    assert!(VERSION == 2);
    assert!(COMMITTED.start == 24 && COMMITTED.start.is_multiple_of(8));
    assert!(HEADER_BYTES.is_multiple_of(SEGMENT_BYTES));
    assert!(LOST.start == HEADER_USED && LOST.end == 72);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_what_the_specification_says() {
        let started = Instant {
            ticks: 0x11,
            monotonic_ns: 0x22,
            realtime_ns: 0x33,
        };
        let header = Header {
            version: VERSION,
            pid: 0x1234,
            clock: ClockSource::Counter,
            started,
        };
        let bytes = header.encode();
        assert_eq!(
            &bytes[..24],
            b"ACLSANEV\x02\0\0\0\0\0\x01\0\0\0\x01\0\x34\x12\0\0"
        );
        assert_eq!(Header::decode(&bytes), Some(header));
    }

    #[test]
    fn what_was_lost_is_two_numbers() {
        let lost = Lost {
            events: 0x0102,
            stacks: 3,
        };
        let bytes = [2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!((lost.encode(), Lost::decode(&bytes)), (bytes, lost));
    }

    #[test]
    fn a_segment_header_with_an_unknown_kind_is_no_segment() {
        let started = Instant {
            ticks: 5,
            monotonic_ns: 6,
            realtime_ns: 0,
        };
        let mut bytes = SegmentHeader {
            kind: SegmentKind::Events,
            started,
            committed: 7,
        }
        .encode();
        assert_eq!(SegmentHeader::decode(&bytes).unwrap().committed, 7);
        bytes[4] = 9;
        assert_eq!(SegmentHeader::decode(&bytes), None);
        assert_eq!(SegmentHeader::decode(&[0; 32]), None);
    }
}
