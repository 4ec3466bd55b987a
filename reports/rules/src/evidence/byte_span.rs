//! Bytes that a call wrote, or that were found changed.

use crate::evidence::plural::{bytes, plural};

/// How the bytes are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// In one run.
    Run(u64),
    /// In rows.
    Rows {
        /// Bytes from row to row.
        pitch: u64,
        /// Bytes of a row.
        width: u64,
        /// Rows.
        height: u64,
    },
}

impl Shape {
    /// Bytes from the first to the last one touched: for rows, `pitch * (height - 1) + width`. Cannot overflow.
    pub fn extent(self) -> u128 {
        match self {
            Self::Run(count) => u128::from(count),
            Self::Rows {
                pitch,
                width,
                height,
            } => {
                let before_last = u128::from(pitch) * u128::from(height.saturating_sub(1));
                before_last + u128::from(width)
            }
        }
    }

    /// "64 bytes", "4 rows of 100 bytes, 128 apart,".
    pub(crate) fn words(self) -> String {
        match self {
            Self::Run(count) => bytes(count),
            Self::Rows {
                pitch,
                width,
                height,
            } => format!(
                "{} of {}, {pitch} apart,",
                plural(height, "row"),
                bytes(width)
            ),
        }
    }
}

/// The bytes from `address` on, in one run or in rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteSpan {
    /// The first byte.
    pub address: u64,
    /// How many bytes, and their layout.
    pub shape: Shape,
}

impl ByteSpan {
    /// `count` bytes in one run.
    pub fn run(address: u64, count: u64) -> Self {
        Self {
            address,
            shape: Shape::Run(count),
        }
    }

    /// The last byte. `None` if there is none, or it is beyond the address space.
    pub fn last(&self) -> Option<u64> {
        let extent = self.shape.extent().checked_sub(1)?;
        self.address.checked_add(u64::try_from(extent).ok()?)
    }

    /// Whether the byte at `address` is one of them. The gaps between rows are not.
    pub fn has(&self, address: u64) -> bool {
        let Some(offset) = address.checked_sub(self.address) else {
            return false;
        };
        match self.shape {
            Shape::Run(count) => offset < count,
            Shape::Rows {
                pitch,
                width,
                height,
            } => {
                let row = offset.checked_div(pitch).unwrap_or(0);
                let column = offset.checked_rem(pitch).unwrap_or(offset);
                row < height && column < width
            }
        }
    }

    /// Whether the first and the last byte of `other` are among them.
    pub fn covers(&self, other: &Self) -> bool {
        self.has(other.address) && other.last().is_some_and(|last| self.has(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_covers_what_ends_with_its_last_byte_and_nothing_after() {
        let written = ByteSpan::run(0x1000, 100);
        assert!(written.covers(&ByteSpan::run(0x1000 + 90, 10)));
        assert!(!written.covers(&ByteSpan::run(0x1000 + 90, 11)));
        assert!(!written.covers(&ByteSpan::run(0xfff, 2)));
        assert!(!written.covers(&ByteSpan::run(0x1000, 0)));
    }

    #[test]
    fn gaps_between_rows_are_not_covered() {
        let rows = ByteSpan {
            address: 0x1000,
            shape: Shape::Rows {
                pitch: 64,
                width: 10,
                height: 2,
            },
        };
        assert!(rows.covers(&ByteSpan::run(0x1000 + 64, 10)));
        assert!(!rows.covers(&ByteSpan::run(0x1000 + 64, 11)));
        assert!(!rows.covers(&ByteSpan::run(0x1000 + 128, 1)));
        assert_eq!(rows.last(), Some(0x1000 + 73));
    }

    #[test]
    fn rows_without_a_pitch_and_ends_beyond_all_addresses_do_not_panic() {
        let rows = ByteSpan {
            address: u64::MAX - 1,
            shape: Shape::Rows {
                pitch: 0,
                width: 10,
                height: 2,
            },
        };
        assert_eq!(rows.last(), None);
        assert!(rows.has(u64::MAX));
    }
}
