//! A record that says that an earlier one of its segment happened again, with the same fields: programs do the same things in every step.
//!
//! ```text
//! repeat  byte 0 = 0 | code<<2      then elapsed, offset:u16 of the earlier record, counted from the segment's first
//!   code  1 to 61: elapsed = code - 1        62: elapsed takes 1 byte        63: 3 bytes
//! ```
//! Code 0 does not occur: no record begins with a zero byte, by which pages that were never written are found. The earlier record is a tagged
//! one and its own time is not part of what is repeated.

use crate::compact::MAX_ELAPSED;

/// The two low bits of byte 0.
pub(crate) const REPEAT: u8 = 0;
/// Longest repeat, and the space that its one store needs.
pub(crate) const MAX_REPEAT_BYTES: usize = 8;

const ONE_BYTE: u64 = 62;
const THREE_BYTES: u64 = 63;

/// Encodes a repeat of the record at `offset` and returns its length. `elapsed` is at most [`MAX_ELAPSED`].
#[inline(always)]
pub(crate) fn put(out: &mut [u8; MAX_REPEAT_BYTES], elapsed: u64, offset: u16) -> usize {
    let offset = u64::from(offset);
    let (bytes, length) = if elapsed < ONE_BYTE - 1 {
        ((elapsed + 1) << 2 | offset << 8, 3)
    } else if elapsed <= 0xff {
        (ONE_BYTE << 2 | elapsed << 8 | offset << 16, 4)
    } else {
        debug_assert!(elapsed <= MAX_ELAPSED);
        (THREE_BYTES << 2 | elapsed << 8 | offset << 32, 6)
    };
    *out = bytes.to_le_bytes();
    length
}

/// A decoded repeat.
pub(crate) struct Repeat {
    /// Ticks since the segment's previous record.
    pub elapsed: u64,
    /// Where the earlier record begins.
    pub offset: usize,
    /// Bytes of this record.
    pub length: usize,
}

/// Reads the repeat at the start of `bytes`, which may be padded with anything; `None` if it is none.
#[inline(always)]
pub(crate) fn read(bytes: &[u8; MAX_REPEAT_BYTES]) -> Option<Repeat> {
    let word = u64::from_le_bytes(*bytes);
    let (elapsed, offset, length) = match (word >> 2 & 63, word & 3) {
        (0, _) | (_, 1..) => return None,
        (ONE_BYTE, _) => (word >> 8 & 0xff, word >> 16, 4),
        (THREE_BYTES, _) => (word >> 8 & MAX_ELAPSED, word >> 32, 6),
        (code, _) => (code - 1, word >> 8, 3),
    };
    Some(Repeat {
        elapsed,
        offset: usize::from(offset as u16),
        length,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_of_every_width_come_back_and_begin_with_no_zero() {
        for (elapsed, length) in [
            (0, 3),
            (60, 3),
            (61, 4),
            (255, 4),
            (256, 6),
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
    fn other_records_and_zeros_are_no_repeats() {
        for first in [0, 1, 2, 3, 0xfd, 0xfe, 0xff] {
            assert!(read(&[first, 1, 1, 1, 1, 1, 1, 1]).is_none(), "{first}");
        }
    }
}
