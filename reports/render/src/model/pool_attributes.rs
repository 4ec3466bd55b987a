//! Settings of a runtime pool, and what the runtime reported about it, next to what the log shows.
//!
//! The runtime counts whole pages of 2 MiB, updates its usage at the call, and restarts a high-water mark when it is set to 0
//! (`SegmentManager`, runtime v9.1.0). The log's numbers are counted in the same way. No log shows what a pool has reserved from the driver.

use serde::Serialize;

/// Allocations are rounded up to whole pages.
pub const POOL_PAGE: u64 = 2 << 20;

/// The value of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Setting {
    /// For a policy, 0 means off.
    pub value: u64,
    /// Where the value comes from: the program `set` or `read` it last.
    #[serde(rename = "told")]
    pub reported: &'static str,
}

/// A number that the program queried from the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Reading {
    /// The answer.
    pub bytes: u64,
    /// When.
    pub ns: u64,
    /// What the log showed then; `None` if it cannot show it.
    pub log_bytes: Option<u64>,
}

/// A runtime pool. `None` stands for what the program neither set nor read.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct PoolAttributes {
    /// Whether memory may be reused by a stream that an event orders after its release.
    pub event_dependencies: Option<Setting>,
    /// Whether memory may be reused by any stream once its release has happened.
    pub opportunistic: Option<Setting>,
    /// Whether memory may be reused by any stream, with a wait that the runtime inserts.
    pub internal_dependencies: Option<Setting>,
    /// Bytes that the pool keeps when a stream is synchronized.
    pub release_threshold: Option<Setting>,
    /// Number of trims.
    pub trims: u64,
    /// Bytes to keep, as the last trim requested.
    pub last_trim_bytes: Option<u64>,
    /// Bytes in use.
    pub used: Option<Reading>,
    /// Their maximum since the program last restarted the mark.
    pub used_high: Option<Reading>,
    /// Bytes reserved from the driver.
    pub reserved: Option<Reading>,
    /// Their maximum since the program last restarted the mark.
    pub reserved_high: Option<Reading>,
    /// Bytes in use at the end, according to the log.
    pub log_used_bytes: u64,
    /// Their maximum over the whole log.
    pub log_used_high_bytes: u64,
    /// Blocks live at the end and used by graphs that were captured when they were allocated.
    pub graph_blocks: u64,
    /// Bytes requested for them.
    pub graph_bytes: u64,
    /// Whether the log covers the pool's beginning; otherwise blocks may be missing.
    pub is_whole: bool,
}
