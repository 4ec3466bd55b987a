//! Findings.

use crate::cell::Address;

crate::table! {
    /// A finding of a process.
    Finding in "findings" {
        /// The process.
        process: String [Key],
        /// Number in this process.
        finding: u32 [Key],
        /// 16 hex digits, as in reports: the same on every rank, in every run and build where the names on its stacks are.
        fingerprint: String [Key],
        /// The rule.
        rule: String [None],
        /// `error`, `warning` or `note`.
        severity: String [None],
        /// One sentence.
        message: String [None],
        /// Occurrences.
        count: u64 [Count],
        /// The thread of the first.
        thread: u32 [Key],
        /// Its name.
        thread_name: Option<String> [None],
        /// The first.
        first_ns: u64 [Nanoseconds],
        /// The last.
        last_ns: u64 [Nanoseconds],
        /// Whether it follows from others, and is counted nowhere.
        is_consequence: bool [None],
        /// Numbers of those, with blanks between.
        roots: String [Key],
        /// The call; 0 if unknown.
        stack: u32 [Key],
        /// The site of that call.
        site: String [Key],
        /// Earlier calls, latest first, in lines: what it did, and its number in `sites`.
        earlier: String [None],
        /// The address of the first occurrence.
        address: Option<Address> [Address],
        /// Its block's first byte.
        block_address: Option<Address> [Address],
        /// Its block's size.
        block_bytes: Option<u64> [Bytes],
        /// Its block's family.
        block_family: Option<String> [None],
        /// Its block's device.
        block_device: Option<i32> [Key],
        /// From the block's begin to the address.
        block_offset: Option<i64> [Bytes],
        /// Further evidence, in lines.
        details: String [None],
        /// How the runtime treats it.
        runtime: String [None],
        /// How to fix it.
        instead: String [None],
        /// Whether it comes from sums over time, which `aclsan leaks` leaves out.
        is_of_sums: bool [None],
        /// For growth: what an epoch is; null for other findings, like the following.
        growth_epoch: Option<String> [None],
        /// How long one is, if epochs are spans of time.
        growth_epoch_ns: Option<u64> [Nanoseconds],
        /// Epochs seen.
        growth_epochs_seen: Option<u64> [Count],
        /// Left out as warm-up.
        growth_warm_up: Option<u64> [Count],
        /// Epochs between samples.
        growth_stride: Option<u64> [Count],
        /// Steps between samples.
        growth_steps: Option<u64> [Count],
        /// Upwards.
        growth_rises: Option<u64> [Count],
        /// Downwards.
        growth_falls: Option<u64> [Count],
        /// At the first sample.
        growth_first_bytes: Option<u64> [Bytes],
        /// At the last.
        growth_last_bytes: Option<u64> [Bytes],
        /// Per epoch.
        growth_slope_bytes: Option<u64> [Bytes],
        /// R² of the line.
        growth_r2_percent: Option<u64> [Percent],
        /// `low`, `medium` or `high`.
        growth_confidence: Option<String> [None],
    }
}
