//! A place in the order: an operation of a line.

/// An operation's place: the `time`-th of its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    pub line: usize,
    pub time: u64,
}

/// The host's line.
pub(super) const HOST: usize = 0;

/// Streams that are followed at once, and records that are kept: each record may know of each stream, so a log that claims a million of
/// either would cost terabytes. What is beyond is like what was not seen: nothing is said of its order.
pub(super) const LINES_MOST: usize = 1024;
pub(super) const RECORDS_MOST: usize = 8192;
