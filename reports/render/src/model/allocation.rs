//! Places that allocate: what rounding and pages cost, how long blocks live, how long the runtime takes.

use serde::Serialize;

use super::grade::Grade;
use super::stack::Trace;

/// All places of a report.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Allocations {
    /// Places by the most bytes that they had live at once, [`Allocations::MOST`] at most.
    pub sites: Vec<AllocationSite>,
    /// Places that are left out.
    pub left_out: u64,
    /// How long the runtime took at all places; `None` when that was not recorded, or nothing was allocated.
    pub latencies: Option<Latencies>,
}

/// How long the runtime took to give blocks out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Latencies {
    /// Allocations below 10 µs.
    pub fast: u64,
    /// From 10 to 50 µs.
    pub usual: u64,
    /// Above 50 µs.
    pub slow: u64,
    /// What the article calls what nine of ten stay below.
    pub grade: Grade,
}

impl Allocations {
    /// Places that are kept, those with a budget of their own apart.
    pub const MOST: usize = 1000;

    /// Adds what the runtime took at one place.
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

/// One call that allocates, in one process.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AllocationSite {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// The family of its first block.
    pub family: &'static str,
    /// Blocks allocated.
    pub allocations: u64,
    /// Blocks released.
    pub releases: u64,
    /// Bytes allocated in all.
    pub allocated_bytes: u64,
    /// Most bytes live at once.
    pub peak_bytes: u64,
    /// When that was.
    pub peak_ns: u64,
    /// Allocations of a size that had just been released there.
    pub repeated: u64,
    /// Of device memory, what it costs when it costs most.
    pub slack: Option<Slack>,
    /// How long released blocks lived; `None` when none was.
    pub lifetime: Option<Lifetime>,
    /// How long the runtime took; `None` when that was not recorded.
    pub latency: Option<Latency>,
    /// The call.
    pub allocated: Trace,
}

/// What rounding and pages cost, when that was most.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Slack {
    /// Live blocks.
    pub blocks: u64,
    /// Bytes that the program asked for.
    pub asked_bytes: u64,
    /// After the runtime's rounding and padding.
    pub rounded_bytes: u64,
    /// Bytes of huge pages under them; of normal pages, which blocks share, the rounded bytes.
    pub page_bytes: u64,
    /// Bytes of normal pages that would do.
    pub normal_bytes: u64,
    /// Bytes of pages if one block held them all, cut up by the program.
    pub pooled_bytes: u64,
}

impl Slack {
    /// Bytes that nobody asked for.
    pub fn lost(&self) -> u64 {
        self.page_bytes.saturating_sub(self.asked_bytes)
    }
}

/// How long blocks lived, in nanoseconds, at most a 32nd too much.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Lifetime {
    /// Half of them no longer.
    pub p50_ns: u64,
    /// Nine of ten no longer.
    pub p90_ns: u64,
    /// The longest.
    pub longest_ns: u64,
}

/// How long the runtime took to give blocks out. Below 10 µs allocations are only counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Latency {
    /// Allocations below 10 µs.
    pub fast: u64,
    /// From 10 to 50 µs.
    pub usual: u64,
    /// Above 50 µs.
    pub slow: u64,
    /// Ten times as slow as half of the place's, or more, half being 10 µs at least: the runtime gave back its caches first, maybe.
    pub stalled: u64,
    /// What the last two took together.
    pub total_ns: u64,
    /// Half took no longer; `None` below 10 µs.
    pub p50_ns: Option<u64>,
    /// Nine of ten took no longer; `None` below 10 µs.
    pub p90_ns: Option<u64>,
    /// 99 of 100 took no longer; `None` below 10 µs.
    pub p99_ns: Option<u64>,
    /// The slowest; `None` below 10 µs.
    pub slowest_ns: Option<u64>,
    /// What was free before the slowest, by the runtime's word, where the pages given out were more.
    pub outgrown: Option<Outgrown>,
}

/// An allocation that succeeded although the runtime had told of too little: it gave back its caches first, or another process did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Outgrown {
    /// Free bytes, by `aclrtGetMemInfo` less than a second before; with what was taken and given back since.
    pub told_free_bytes: u64,
    /// Bytes of the pages given out.
    pub page_bytes: u64,
}
