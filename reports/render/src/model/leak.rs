//! Blocks that nobody released, by the place that allocated them.

use serde::Serialize;

use super::stack::Trace;

/// All leaks of a report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Leaks {
    /// Bytes in all.
    pub bytes: u64,
    /// Blocks in all.
    pub blocks: u64,
    /// Of the bytes, those that the device's last reset took back.
    pub reclaimed_bytes: u64,
    /// Of the blocks, those that the device's last reset took back.
    pub reclaimed_blocks: u64,
    /// By allocating call, the most bytes first.
    pub sites: Vec<LeakSite>,
}

/// The leaked blocks that one call allocated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakSite {
    /// The process.
    pub pid: u32,
    /// The finding about it; empty when no rule holds it against the program.
    pub fingerprint: String,
    /// Bytes.
    pub bytes: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes of the largest block.
    pub largest_bytes: u64,
    /// How long the youngest block had lived at the end.
    pub youngest_ns: u64,
    /// How long the oldest block had lived at the end.
    pub oldest_ns: u64,
    /// The family that owns them.
    pub family: &'static str,
    /// Their device, −1 when not known.
    pub device: i32,
    /// The thread that allocated the oldest.
    pub thread: u32,
    /// Whether the device's last reset took them back.
    pub is_reclaimed: bool,
    /// The call that allocated them.
    pub allocated: Trace,
}

impl Leaks {
    /// Sums up sites and sorts them.
    pub fn new(mut sites: Vec<LeakSite>) -> Self {
        sites.sort_by_key(|site| (std::cmp::Reverse(site.bytes), site.pid));
        let sum = |of: fn(&LeakSite) -> u64, only: bool| {
            let chosen = sites.iter().filter(|site| site.is_reclaimed || !only);
            chosen.fold(0, |sum: u64, site| sum.saturating_add(of(site)))
        };
        Self {
            bytes: sum(|site| site.bytes, false),
            blocks: sum(|site| site.blocks, false),
            reclaimed_bytes: sum(|site| site.bytes, true),
            reclaimed_blocks: sum(|site| site.blocks, true),
            sites,
        }
    }
}
