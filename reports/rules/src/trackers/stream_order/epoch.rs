//! Epochs: an operation's position on its timeline.

/// FastTrack's `c@t`: the `time`-th operation of `timeline`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Epoch {
    pub timeline: usize,
    pub time: u64,
}

/// The index of the host's timeline.
pub(super) const HOST: usize = 0;

/// Limits on timelines and records. Every record may hold a time for every stream, so a log that claims a million of
/// each would take terabytes. Streams and records beyond the limits are treated as unseen: their order is unknown.
pub(super) const MAX_TIMELINES: usize = 1024;
pub(super) const MAX_RECORDS: usize = 8192;
