//! What a program set one of the runtime's own pools to, and what the runtime said of it, beside what the log shows.
//!
//! The runtime counts whole pages of 2 MiB, changes what is used at the call, and starts a high-water mark over when it is set to 0
//! (`SegmentManager`, runtime v9.1.0); what the log shows is counted in the same way. What a pool has reserved of the driver is in no log.

use serde::Serialize;

/// Whole pages are given out.
pub const POOL_PAGE: u64 = 2 << 20;

/// The value of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Setting {
    /// Of a policy, 0 for off.
    pub value: u64,
    /// The last word on it: the program has `set` or `read` it.
    pub told: &'static str,
}

/// A number that the program asked the runtime for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Reading {
    /// The answer.
    pub bytes: u64,
    /// When.
    pub ns: u64,
    /// What the log showed then; `None` for what it cannot show.
    pub log_bytes: Option<u64>,
}

/// One of the runtime's own pools. `None` is what the program never set or read.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct PoolAttributes {
    /// Whether memory may go to a stream that an event has ordered behind its release.
    pub event_dependencies: Option<Setting>,
    /// To any, when the release has happened.
    pub opportunistic: Option<Setting>,
    /// To any, with a wait that the runtime puts in.
    pub internal_dependencies: Option<Setting>,
    /// Bytes that the pool keeps when a stream is synchronised.
    pub release_threshold: Option<Setting>,
    /// How often it was trimmed.
    pub trims: u64,
    /// Bytes that the last one asked to keep.
    pub last_trim_bytes: Option<u64>,
    /// In use.
    pub used: Option<Reading>,
    /// At most, since the program last started over.
    pub used_high: Option<Reading>,
    /// Held of the driver.
    pub reserved: Option<Reading>,
    /// At most, since the program last started over.
    pub reserved_high: Option<Reading>,
    /// In use at the end, as the log shows it.
    pub log_used_bytes: u64,
    /// At most, of the whole log.
    pub log_used_high_bytes: u64,
    /// Live at the end, and named by graphs that were captured when they were given out.
    pub graph_blocks: u64,
    /// Bytes that were asked for in them.
    pub graph_bytes: u64,
    /// Whether the log has the pool's beginning, without which it may lack blocks.
    pub is_whole: bool,
}
