//! A place in the order: an operation of a timeline.

/// An operation's place: the `time`-th of its timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Epoch {
    pub timeline: usize,
    pub time: u64,
}

/// The host's timeline.
pub(super) const HOST: usize = 0;

/// Streams that are followed at once, and records that are kept: each record may know of each stream, so a log that claims a million of
/// either would cost terabytes. What is beyond is like what was not seen: nothing is said of its order.
pub(super) const MAX_TIMELINES: usize = 1024;
pub(super) const MAX_RECORDS: usize = 8192;
