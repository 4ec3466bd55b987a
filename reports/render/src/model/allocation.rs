//! Allocation sites: what rounding and pages cost, how long blocks live, how long the runtime takes.

use serde::Serialize;

use super::grade::Grade;
use super::stack::Trace;

/// All allocation sites of a report.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Allocations {
    /// Sites with the highest peaks of live bytes, at most [`Allocations::MAX_SITES`].
    pub sites: Vec<AllocationSite>,
    /// Number of sites left out.
    pub left_out: u64,
    /// How long the runtime took, over all sites; `None` if that was not recorded or nothing was allocated.
    pub latencies: Option<Latencies>,
}

/// How long the runtime took to allocate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Latencies {
    /// Allocations below 10 µs.
    pub fast: u64,
    /// From 10 to 50 µs.
    pub usual: u64,
    /// Above 50 µs.
    pub slow: u64,
    /// The article's grade for the 90th percentile.
    pub grade: Grade,
}

impl Allocations {
    /// Sites kept. Sites with a budget do not count.
    pub const MAX_SITES: usize = 1000;

    /// Adds the latencies of one site.
    pub fn took(&mut self, latency: &Latency) {
        if latency.fast + latency.usual + latency.slow > 0 {
            let all = self.latencies.get_or_insert_default();
            all.fast += latency.fast;
            all.usual += latency.usual;
            all.slow += latency.slow;
            all.grade = Grade::of_latencies(all.fast, all.usual, all.slow);
        }
    }
}

/// One allocating call in one process.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AllocationSite {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// The family of its first block.
    pub family: &'static str,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of releases.
    pub releases: u64,
    /// Total bytes allocated.
    pub allocated_bytes: u64,
    /// Peak of live bytes.
    pub peak_bytes: u64,
    /// Time of the peak.
    pub peak_ns: u64,
    /// Allocations of a size that this site had just released.
    pub repeated: u64,
    /// For device memory, the overhead when it was highest.
    pub slack: Option<Slack>,
    /// How long released blocks lived; `None` if none was released.
    pub lifetime: Option<Lifetime>,
    /// How long the runtime took; `None` if that was not recorded.
    pub latency: Option<Latency>,
    /// The call.
    pub allocated: Trace,
}

/// The overhead of rounding and pages when it was highest.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Slack {
    /// Live blocks.
    pub blocks: u64,
    /// Bytes that the program requested.
    pub asked_bytes: u64,
    /// After the runtime's rounding and padding.
    pub rounded_bytes: u64,
    /// Bytes of the huge pages they occupy. For normal pages, which blocks share, the rounded bytes.
    pub page_bytes: u64,
    /// Bytes if normal pages were used.
    pub normal_bytes: u64,
    /// Bytes of pages if one block held them all, subdivided by the program.
    pub pooled_bytes: u64,
}

impl Slack {
    /// Bytes of pages that nobody requested.
    pub fn lost(&self) -> u64 {
        self.page_bytes.saturating_sub(self.asked_bytes)
    }
}

/// Lifetimes of blocks in nanoseconds, overestimated by at most 1/32.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Lifetime {
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// Maximum.
    pub longest_ns: u64,
}

/// How long the runtime took to allocate. Allocations below 10 µs are only counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Latency {
    /// Allocations below 10 µs.
    pub fast: u64,
    /// From 10 to 50 µs.
    pub usual: u64,
    /// Above 50 µs.
    pub slow: u64,
    /// Allocations that took at least ten times the site's median, which counts as 10 µs or more: perhaps the runtime returned its caches
    /// first.
    pub stalled: u64,
    /// Total time of the `usual` and `slow` ones.
    pub total_ns: u64,
    /// Median; `None` below 10 µs.
    pub p50_ns: Option<u64>,
    /// 90th percentile; `None` below 10 µs.
    pub p90_ns: Option<u64>,
    /// 99th percentile; `None` below 10 µs.
    pub p99_ns: Option<u64>,
    /// Maximum; `None` below 10 µs.
    pub slowest_ns: Option<u64>,
    /// Free bytes before the slowest one according to the runtime, if it allocated more than that.
    pub outgrown: Option<Outgrown>,
}

/// An allocation that succeeded although the runtime had reported too little free memory: it returned its caches first, or another process
/// freed some.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Outgrown {
    /// Free bytes, reported by `aclrtGetMemInfo` less than a second before, adjusted for allocations and releases since.
    #[serde(rename = "told_free_bytes")]
    pub reported_free_bytes: u64,
    /// Bytes of the allocated pages.
    pub page_bytes: u64,
}
