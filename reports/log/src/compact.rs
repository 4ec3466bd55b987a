//! The two records that programs produce by the million, in as few bytes as possible.
//!
//! ```text
//! allocation  byte 0 = 1 | address<<2 | size<<4 | elapsed<<6 | site<<7      then elapsed, address, size, site
//! release     byte 0 = 2 | block<<2             | elapsed<<6 | site<<7      then elapsed, block, site
//!   elapsed  1 or 3 bytes                 ticks since the segment's previous record
//!   site     2 or 4 bytes
//!   address  2, 3, 4 or 7 bytes           zigzag of (address - the segment's last allocation) / 16; both are multiples of 16
//!   size     1, 2, 4 or 8 bytes           1 byte is a code, which covers most sizes: (4 + (code & 3)) << (code >> 2)
//!   block    2, 3, 4 or 6 bytes           (this segment's index - the block's) << 16 | the block's index in its segment
//! ```
//! What does not fit (an address that is no multiple of 16 or is 2^57 or more, a longer pause) becomes a tagged record.

use crate::record::{BlockId, CallSiteId};
use crate::varint::{unzigzag, zigzag};

pub(crate) const ALLOCATION: u8 = 1;
pub(crate) const RELEASE: u8 = 2;
pub(crate) const TAGGED: u8 = 3;
/// Longest compact record, and the space that its overlapping stores need.
pub(crate) const MAX_COMPACT_BYTES: usize = 32;
/// Bytes read with one: eight for each field, wherever it starts.
pub(crate) const WINDOW: usize = MAX_COMPACT_BYTES + 8;
/// Largest `elapsed` that a compact record holds.
pub(crate) const MAX_ELAPSED: u64 = 0xff_ffff;

/// Address bits that no compact record can encode: the low four are dropped, and seven bytes hold at most 55 bits and a sign.
pub(crate) const NOT_COMPACT: u64 = !((1 << 57) - 1) | 15;

/// Mask of the low `n` bytes, by `n`.
const MASKS: [u64; 16] = {
    let mut masks = [u64::MAX; 16];
    let mut bytes = 0;
    while bytes < 8 {
        masks[bytes] = (1 << (8 * bytes)) - 1;
        bytes += 1;
    }
    masks
};

const ADDRESS_BYTES: [usize; 4] = [2, 3, 4, 7];
const SIZE_BYTES: [usize; 4] = [1, 2, 4, 8];
const BLOCK_BYTES: [usize; 4] = [2, 3, 4, 6];

/// Stores eight bytes and advances by `length`; the next field overwrites the rest.
#[inline(always)]
fn put(out: &mut [u8; MAX_COMPACT_BYTES], at: &mut usize, value: u64, length: usize) {
    out[*at..*at + 8].copy_from_slice(&value.to_le_bytes());
    *at += length;
}

#[inline(always)]
fn width(value: u64, choices: [usize; 4]) -> usize {
    let bytes = (71 - (value | 1).leading_zeros() as usize) / 8;
    usize::from(bytes > choices[0])
        + usize::from(bytes > choices[1])
        + usize::from(bytes > choices[2])
}

/// The one-byte code of `size`, if it has one.
#[inline(always)]
fn size_code(size: u64) -> Option<u64> {
    let shift = 61u32.checked_sub(size.leading_zeros())?;
    let top = size >> shift;
    (top << shift == size).then_some(u64::from(shift) << 2 | (top & 3))
}

/// Encodes an allocation and returns its length. `elapsed` is at most [`MAX_ELAPSED`]; `distance` is in 16-byte units.
#[inline(always)]
pub(crate) fn put_allocation(
    out: &mut [u8; MAX_COMPACT_BYTES],
    elapsed: u64,
    distance: i64,
    size: u64,
    site: CallSiteId,
) -> usize {
    let address = zigzag(distance);
    let address_width = width(address, ADDRESS_BYTES);
    let (size_width, size) = match size_code(size) {
        Some(code) => (0, code),
        None => (width(size, SIZE_BYTES).max(1), size),
    };
    let (long, wide) = (usize::from(elapsed > 0xff), usize::from(site.0 > 0xffff));
    out[0] = ALLOCATION | (address_width << 2 | size_width << 4 | long << 6 | wide << 7) as u8;
    let mut at = 1;
    put(out, &mut at, elapsed, 1 + 2 * long);
    put(out, &mut at, address, ADDRESS_BYTES[address_width]);
    put(out, &mut at, size, SIZE_BYTES[size_width]);
    put(out, &mut at, u64::from(site.0), 2 + 2 * wide);
    at
}

/// Encodes a release and returns its length. `back` is how many segments ago the block's segment is.
#[inline(always)]
pub(crate) fn put_release(
    out: &mut [u8; MAX_COMPACT_BYTES],
    elapsed: u64,
    back: u32,
    place: u16,
    site: CallSiteId,
) -> usize {
    let block = u64::from(back) << 16 | u64::from(place);
    let block_width = width(block, BLOCK_BYTES);
    let (long, wide) = (usize::from(elapsed > 0xff), usize::from(site.0 > 0xffff));
    out[0] = RELEASE | (block_width << 2 | long << 6 | wide << 7) as u8;
    let mut at = 1;
    put(out, &mut at, elapsed, 1 + 2 * long);
    put(out, &mut at, block, BLOCK_BYTES[block_width]);
    put(out, &mut at, u64::from(site.0), 2 + 2 * wide);
    at
}

/// A compact record before the segment's state turns distances into addresses and blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CompactRecord {
    Allocation {
        elapsed: u64,
        distance: i64,
        size: u64,
        site: CallSiteId,
    },
    Release {
        elapsed: u64,
        back: u32,
        place: u16,
        site: CallSiteId,
    },
}

/// Reads the compact record at the start of `from` and advances; `None` if it is truncated or not compact.
#[inline(always)]
pub(crate) fn get(from: &mut &[u8]) -> Option<CompactRecord> {
    let (record, length) = match from.first_chunk() {
        Some(window) => read(window)?,
        None => {
            let mut window = [0; WINDOW];
            window[..from.len()].copy_from_slice(from);
            read(&window)?
        }
    };
    *from = from.get(length..)?;
    Some(record)
}

/// Reads the record at the start of `window` and its length. Like the writer, it takes eight bytes at a time and masks out what belongs to
/// the next field.
#[inline(always)]
pub(crate) fn read(window: &[u8; WINDOW]) -> Option<(CompactRecord, usize)> {
    let control = window[0];
    let elapsed_bytes = 1 + 2 * usize::from(control >> 6 & 1);
    let site_bytes = 2 + 2 * usize::from(control >> 7);
    let choice = usize::from(control >> 2 & 3);
    let mut at = 1;
    let mut field = |length: usize| {
        // No field starts after the longest record or is longer than eight bytes; the remainders let the compiler drop bounds checks.
        let eight = window[at % MAX_COMPACT_BYTES..]
            .first_chunk()
            .unwrap_or(&[0; 8]);
        at += length;
        u64::from_le_bytes(*eight) & MASKS[length % MASKS.len()]
    };
    let record = match control & 3 {
        ALLOCATION => {
            let elapsed = field(elapsed_bytes);
            let distance = unzigzag(field(ADDRESS_BYTES[choice]));
            let size_choice = usize::from(control >> 4 & 3);
            let size = field(SIZE_BYTES[size_choice]);
            let size = if size_choice == 0 {
                (4 + (size & 3)) << (size >> 2).min(61)
            } else {
                size
            };
            CompactRecord::Allocation {
                elapsed,
                distance,
                size,
                site: CallSiteId(field(site_bytes) as u32),
            }
        }
        RELEASE => {
            let elapsed = field(elapsed_bytes);
            let block = field(BLOCK_BYTES[choice]);
            CompactRecord::Release {
                elapsed,
                back: (block >> 16) as u32,
                place: block as u16,
                site: CallSiteId(field(site_bytes) as u32),
            }
        }
        _ => return None,
    };
    Some((record, at))
}

impl BlockId {
    /// The `place`-th block of the segment `back` segments before `segment`; `None` if there is no such segment.
    #[inline(always)]
    pub(crate) fn in_earlier_segment(segment: u32, back: u32, place: u16) -> Option<Self> {
        segment
            .checked_sub(back)
            .map(|segment| Self::new(segment, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_of_every_width_come_back() {
        for elapsed in [0, 255, 256, MAX_ELAPSED] {
            for distance in [0, -1, 1, 32_767, -40_000, 1 << 22, 1 << 40, -(1 << 50)] {
                for size in [
                    0,
                    1,
                    3,
                    4,
                    5,
                    7,
                    9,
                    100,
                    1000,
                    4096,
                    65_535,
                    65_537,
                    1 << 33,
                    u64::MAX,
                ] {
                    for site in [
                        CallSiteId(0),
                        CallSiteId(65_535),
                        CallSiteId(65_536),
                        CallSiteId(u32::MAX),
                    ] {
                        let mut out = [0xee; MAX_COMPACT_BYTES];
                        let length = put_allocation(&mut out, elapsed, distance, size, site);
                        let mut from = &out[..length];
                        assert_eq!(
                            get(&mut from),
                            Some(CompactRecord::Allocation {
                                elapsed,
                                distance,
                                size,
                                site
                            })
                        );
                        assert!(from.is_empty());
                        assert_eq!(get(&mut &out[..length - 1]), None);
                    }
                }
            }
        }
    }

    #[test]
    fn releases_of_every_width_come_back() {
        for (back, place) in [
            (0, 0),
            (0, u16::MAX),
            (1, 7),
            (255, 9),
            (256, 1),
            (65_536, 2),
            (u32::MAX, 3),
        ] {
            let mut out = [0; MAX_COMPACT_BYTES];
            let length = put_release(&mut out, 300, back, place, CallSiteId(70_000));
            assert_eq!(
                get(&mut &out[..length]),
                Some(CompactRecord::Release {
                    elapsed: 300,
                    back,
                    place,
                    site: CallSiteId(70_000)
                })
            );
        }
    }

    #[test]
    fn an_ordinary_pair_takes_fifteen_bytes() {
        let mut out = [0; MAX_COMPACT_BYTES];
        assert_eq!(
            put_allocation(&mut out, 40, 2_000_000, 1280, CallSiteId(1500)),
            8
        );
        assert_eq!(put_release(&mut out, 40, 30, 5000, CallSiteId(1501)), 7);
    }
}
