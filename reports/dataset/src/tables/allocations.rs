//! Allocations: sums by site. Counts by decade can be added up over processes, unlike percentiles.

crate::table! {
    /// What one site of a process allocated.
    Allocation in "allocations" {
        /// The process.
        process: String [Key],
        /// The call site.
        stack: u32 [Key],
        /// Its site.
        site: String [Key],
        /// Family of its first block; empty if unknown.
        family: String [None],
        /// Device of its first block; −1 if unknown.
        device: i32 [Key],
        /// Allocations.
        allocations: u64 [Count],
        /// Releases.
        releases: u64 [Count],
        /// Allocated in all.
        allocated_bytes: u64 [Bytes],
        /// Peak of this site.
        peak_bytes: u64 [Bytes],
        /// When that was.
        peak_ns: u64 [Nanoseconds],
        /// Live when the process had the most device memory.
        at_peak_bytes: u64 [Bytes],
        /// The same, of the process's peak.
        peak_share: f64 [Share],
        /// Never released.
        leaked_bytes: u64 [Bytes],
        /// Allocations of a size that it had just released.
        repeated: u64 [Count],
        /// When rounding and pages cost most: blocks; null for other than device memory.
        slack_blocks: Option<u64> [Count],
        /// Requested bytes then.
        slack_asked_bytes: Option<u64> [Bytes],
        /// After rounding.
        slack_rounded_bytes: Option<u64> [Bytes],
        /// Pages.
        slack_page_bytes: Option<u64> [Bytes],
        /// In normal pages.
        slack_normal_bytes: Option<u64> [Bytes],
        /// In one block for all.
        slack_pooled_bytes: Option<u64> [Bytes],
        /// Lifetime of released blocks, median; null if none was released. A 32nd too high at most.
        lifetime_p50_ns: Option<u64> [Nanoseconds],
        /// 90th percentile.
        lifetime_p90_ns: Option<u64> [Nanoseconds],
        /// Maximum.
        lifetime_longest_ns: Option<u64> [Nanoseconds],
        /// Lifetimes below 10 µs.
        lifetimes_below_10us: u64 [Count],
        /// From there to 100 µs.
        lifetimes_below_100us: u64 [Count],
        /// To 1 ms.
        lifetimes_below_1ms: u64 [Count],
        /// To 10 ms.
        lifetimes_below_10ms: u64 [Count],
        /// To 100 ms.
        lifetimes_below_100ms: u64 [Count],
        /// To 1 s.
        lifetimes_below_1s: u64 [Count],
        /// To 10 s.
        lifetimes_below_10s: u64 [Count],
        /// Longer ones.
        lifetimes_longer: u64 [Count],
        /// Allocations that took below 10 µs; null, like the following, if times were not recorded.
        latency_fast: Option<u64> [Count],
        /// 10 to 50 µs.
        latency_usual: Option<u64> [Count],
        /// Above 50 µs.
        latency_slow: Option<u64> [Count],
        /// At least ten times the median.
        latency_stalled: Option<u64> [Count],
        /// Of the usual and slow ones together.
        latency_total_ns: Option<u64> [Nanoseconds],
        /// Median; null below 10 µs.
        latency_p50_ns: Option<u64> [Nanoseconds],
        /// 90th percentile; null below 10 µs.
        latency_p90_ns: Option<u64> [Nanoseconds],
        /// 99th percentile; null below 10 µs.
        latency_p99_ns: Option<u64> [Nanoseconds],
        /// Maximum; null below 10 µs.
        latency_slowest_ns: Option<u64> [Nanoseconds],
        /// Free bytes before the slowest, if it allocated more.
        outgrown_free_bytes: Option<u64> [Bytes],
        /// Pages of the slowest.
        outgrown_page_bytes: Option<u64> [Bytes],
    }
}
