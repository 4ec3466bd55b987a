//! Copies, fills and other uses of ranges, as the program asked for them.

use aclsan_log::Mapping;
use aclsan_log::record as log;

/// One-dimensional copy, as the program asked for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// First byte written.
    pub to: u64,
    /// The caller's `destMax`: bytes that it says are available at `to`.
    pub room: u64,
    /// First byte read.
    pub from: u64,
    /// Bytes copied.
    pub count: u64,
}

/// Two-dimensional copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy2d {
    /// First byte written.
    pub to: u64,
    /// Bytes from row to row, destination.
    pub to_pitch: u64,
    /// First byte read.
    pub from: u64,
    /// Bytes from row to row, source.
    pub from_pitch: u64,
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
}

impl Copy2d {
    /// Bytes from the first one of the first row to the last one of the last row, with this pitch.
    pub fn extent(&self, pitch: u64) -> u64 {
        let before = pitch.saturating_mul(self.height.saturating_sub(1));
        before.saturating_add(self.width)
    }
}

/// Fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memset {
    /// First byte written.
    pub to: u64,
    /// The caller's `maxCount`.
    pub room: u64,
    /// Bytes written.
    pub count: u64,
    /// The mapping at `to` if no block explains it.
    pub mapping: Mapping,
}

/// A range that a call reads or writes, other than by a copy or fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeUse {
    /// First byte touched.
    pub address: u64,
    /// Bytes touched.
    pub size: u64,
    /// What happens to them.
    pub access: log::Access,
}
