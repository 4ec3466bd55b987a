//! A record that says that an earlier one of its segment happened again, with the same fields: programs do the same things in every step.
//!
//! ```text
//! repeat  byte 0 = 0 | code<<2      then elapsed, offset:u16 of the earlier record, counted from the segment's first
//!   code  1 to 58: elapsed = code - 1        62: elapsed takes 1 byte        60: 2 bytes        63: 3 bytes
//!   code  59: elapsed takes 2 bytes, and after the offset 2 bytes have a distance, the zigzag of 16-byte units        61: 3 bytes
//! ```
//! With codes 59 and 61 the earlier record is a descriptor's or a call's, and all but an address is the same. A descriptor's distance is from the
//! segment's last allocation, as that of a compact allocation; a call's is between its first value here and in the earlier record.
//!
//! Code 0 does not occur: no record begins with a zero byte, by which pages that were never written are found. The earlier record is a tagged
//! one and its own time is not part of what is repeated.

use crate::compact::MAX_ELAPSED;
use crate::varint::{unzigzag, zigzag};

/// The two low bits of byte 0.
pub(crate) const REPEAT: u8 = 0;
/// Longest repeat, and the space that its one store needs.
pub(crate) const MAX_REPEAT_BYTES: usize = 8;

const MOVED_NEAR: u64 = 59;
const TWO_BYTES: u64 = 60;
const MOVED: u64 = 61;
const ONE_BYTE: u64 = 62;
const THREE_BYTES: u64 = 63;

/// Encodes a repeat of the record at `offset` and returns its length. `elapsed` is at most [`MAX_ELAPSED`].
#[inline(always)]
pub(crate) fn put(out: &mut [u8; MAX_REPEAT_BYTES], elapsed: u64, offset: u16) -> usize {
    let offset = u64::from(offset);
    debug_assert!(elapsed <= MAX_ELAPSED);
    // Gaps of a microsecond and more come first: between them, other code has run, and the processor predicts no jump here.
    let (bytes, length) = if elapsed > 0xff {
        let is_short = elapsed <= 0xffff;
        let code = if is_short { TWO_BYTES } else { THREE_BYTES };
        let shift = if is_short { 24 } else { 32 };
        (
            code << 2 | elapsed << 8 | offset << shift,
            6 - usize::from(is_short),
        )
    } else if elapsed < MOVED_NEAR - 1 {
        ((elapsed + 1) << 2 | offset << 8, 3)
    } else {
        (ONE_BYTE << 2 | elapsed << 8 | offset << 16, 4)
    };
    *out = bytes.to_le_bytes();
    length
}

/// Encodes a repeat with another address, `distance` 16-byte units away. Returns its length; `None` if a number is too large.
#[inline(always)]
pub(crate) fn put_moved(
    out: &mut [u8; MAX_REPEAT_BYTES],
    elapsed: u64,
    offset: u16,
    distance: i64,
) -> Option<usize> {
    let distance = zigzag(distance);
    let (code, length) = match distance >> 16 {
        0 => (MOVED_NEAR, 7),
        _ => (MOVED, 8),
    };
    *out = (code << 2 | elapsed << 8 | u64::from(offset) << 24 | distance << 40).to_le_bytes();
    (elapsed >> 16 == 0 && distance >> 24 == 0).then_some(length)
}

/// A decoded repeat.
pub(crate) struct Repeat {
    /// Ticks since the segment's previous record.
    pub elapsed: u64,
    /// Where the earlier record begins.
    pub offset: usize,
    /// Bytes of this record.
    pub length: usize,
    /// 16-byte units to the address, if it is another.
    pub distance: Option<i64>,
}

/// The value that is `distance` 16-byte units from this one.
#[inline(always)]
pub(crate) fn away(value: u64, distance: i64) -> u64 {
    value.wrapping_add_signed(distance.wrapping_shl(4))
}

/// Reads the repeat at the start of `bytes`, which may be padded with anything; `None` if it is none.
#[inline(always)]
pub(crate) fn read(bytes: &[u8; MAX_REPEAT_BYTES]) -> Option<Repeat> {
    let word = u64::from_le_bytes(*bytes);
    let mut distance = None;
    let (elapsed, offset, length) = match (word >> 2 & 63, word & 3) {
        (0, _) | (_, 1..) => return None,
        (ONE_BYTE, _) => (word >> 8 & 0xff, word >> 16, 4),
        (TWO_BYTES, _) => (word >> 8 & 0xffff, word >> 24, 5),
        (THREE_BYTES, _) => (word >> 8 & MAX_ELAPSED, word >> 32, 6),
        (MOVED_NEAR, _) => {
            distance = Some(unzigzag(word >> 40 & 0xffff));
            (word >> 8 & 0xffff, word >> 24, 7)
        }
        (MOVED, _) => {
            distance = Some(unzigzag(word >> 40));
            (word >> 8 & 0xffff, word >> 24, 8)
        }
        (code, _) => (code - 1, word >> 8, 3),
    };
    Some(Repeat {
        elapsed,
        offset: usize::from(offset as u16),
        length,
        distance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_of_every_width_come_back_and_begin_with_no_zero() {
        for (elapsed, length) in [
            (0, 3),
            (57, 3),
            (58, 4),
            (255, 4),
            (256, 5),
            (0xffff, 5),
            (0x1_0000, 6),
            (MAX_ELAPSED, 6),
        ] {
            for offset in [0, 1, 255, 256, u16::MAX] {
                let mut out = [0xee; MAX_REPEAT_BYTES];
                assert_eq!(put(&mut out, elapsed, offset), length);
                assert_ne!(out[0], 0);
                out[length..].fill(0xff);
                let read = read(&out).expect("a repeat");
                let found = (read.elapsed, read.offset, read.length);
                assert_eq!(found, (elapsed, usize::from(offset), length));
            }
        }
    }

    #[test]
    fn a_repeat_at_another_address_has_seven_or_eight_bytes_or_does_not_fit() {
        for (distance, length) in [
            (0, 7),
            ((1 << 15) - 1, 7),
            (-(1 << 15), 7),
            (1 << 15, 8),
            ((1 << 23) - 1, 8),
            (-(1 << 23), 8),
        ] {
            let mut out = [0; MAX_REPEAT_BYTES];
            assert_eq!(put_moved(&mut out, 0xffff, 7, distance), Some(length));
            out[length..].fill(0xff);
            let read = read(&out).expect("a repeat");
            assert_eq!(
                (read.elapsed, read.offset, read.length),
                (0xffff, 7, length)
            );
            assert_eq!(read.distance, Some(distance));
        }
        let mut out = [0; MAX_REPEAT_BYTES];
        assert_eq!(put_moved(&mut out, 0x1_0000, 7, 0), None);
        assert_eq!(put_moved(&mut out, 0, 7, 1 << 23), None);
    }

    #[test]
    fn other_records_and_zeros_are_no_repeats() {
        for first in [0, 1, 2, 3, 0xfd, 0xfe, 0xff] {
            assert!(read(&[first, 1, 1, 1, 1, 1, 1, 1]).is_none(), "{first}");
        }
    }
}
