//! The patterns that the shim writes around blocks and checks later.

/// Byte `i` after a block's end.
///
/// `1 + (167 i + 91) mod 254`: never 0x00 or 0xff, which overwrites leave most often. 167 shares no factor with 254, so
/// a run that was moved by any distance but a multiple of 254 differs in each of its bytes, and no byte value repeats
/// within 254 bytes.
pub const fn byte(i: u64) -> u8 {
    (1 + ((i % 254) * 167 + 91) % 254) as u8
}

/// Byte `i` before a block's start, counted backwards. A run that was moved across the block differs almost everywhere.
pub const fn before(i: u64) -> u8 {
    byte(i)
}

/// The longest pattern on one side of a block, in bytes.
pub const MAX_PATTERN: usize = 4096 + 64;

/// The first `length` bytes after a block's end; `None` if that exceeds [`MAX_PATTERN`].
pub fn behind_end(length: usize) -> Option<&'static [u8]> {
    static BYTES: [u8; MAX_PATTERN] = {
        let (mut bytes, mut i) = ([0; MAX_PATTERN], 0);
        while i < MAX_PATTERN {
            bytes[i] = byte(i as u64);
            i += 1;
        }
        bytes
    };
    BYTES.get(..length)
}

/// The last `length` bytes before a block's start, in the order of their addresses; `None` if that exceeds
/// [`MAX_PATTERN`].
pub fn before_start(length: usize) -> Option<&'static [u8]> {
    static BYTES: [u8; MAX_PATTERN] = {
        let (mut bytes, mut i) = ([0; MAX_PATTERN], 0);
        while i < MAX_PATTERN {
            bytes[MAX_PATTERN - 1 - i] = before(i as u64);
            i += 1;
        }
        bytes
    };
    BYTES.get(MAX_PATTERN.checked_sub(length)?..)
}

/// Byte `i` of a block that the shim has poisoned, new or freed: the complement, so that neither pattern is mistaken
/// for the other. Repeats every [`PERIOD`] bytes.
pub fn fill(i: u64) -> u8 {
    !byte(i)
}

/// Period of the patterns, in bytes.
pub const PERIOD: u64 = 254;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_what_overwrites_leave_most_often() {
        assert!((0..4096).all(|i| byte(i) != 0x00 && byte(i) != 0xff));
    }

    #[test]
    fn a_shifted_pattern_differs_at_every_byte() {
        for shift in 1..254 {
            assert!((0..512).all(|i| byte(i) != byte(i + shift)), "{shift}");
        }
    }

    #[test]
    fn a_constant_fill_shows_within_two_bytes() {
        assert!((0..512).all(|i| byte(i) != byte(i + 1)));
    }

    #[test]
    fn a_fill_is_never_taken_for_a_guard_however_it_was_moved() {
        for shift in 0..PERIOD {
            let same = |i: u64| fill(i) == byte(i + shift);
            assert!((0..512).all(|i| !(same(i) && same(i + 1))), "{shift}");
        }
        assert!((0..512).all(|i| fill(i) == fill(i + PERIOD) && fill(i) != 0 && fill(i) != 0xff));
    }

    #[test]
    fn runs_of_the_pattern_are_made_of_its_bytes() {
        for length in [0, 1, 127, 4096, MAX_PATTERN] {
            let behind = (0..length as u64).map(byte);
            let before = (0..length as u64).rev().map(super::before);
            assert!(behind_end(length).unwrap().iter().copied().eq(behind));
            assert!(before_start(length).unwrap().iter().copied().eq(before));
        }
        assert!(behind_end(MAX_PATTERN + 1).is_none() && before_start(MAX_PATTERN + 1).is_none());
    }

    #[test]
    fn the_largest_index_has_a_byte() {
        assert_ne!(byte(u64::MAX), 0);
    }
}
