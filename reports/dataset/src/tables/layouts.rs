//! Layouts of device memory by page class, as far as addresses show them.

crate::table! {
    /// One page class of one device.
    Layout in "layouts" {
        /// The process.
        process: String [Key],
        /// The device; −1 if unknown.
        device: i32 [Key],
        /// `4K`, `2M` or `1G`.
        page: String [Key],
        /// When the most bytes were live.
        peak_ns: u64 [Nanoseconds],
        /// 95th percentile of requests.
        typical_bytes: u64 [Bytes],
        /// Blocks, at the peak.
        peak_blocks: u64 [Count],
        /// As requested, at the peak.
        peak_asked_bytes: u64 [Bytes],
        /// After rounding, at the peak.
        peak_rounded_bytes: u64 [Bytes],
        /// Pages that they occupy, at the peak.
        peak_page_bytes: u64 [Bytes],
        /// Pages without requested bytes, at the peak.
        peak_slack_bytes: u64 [Bytes],
        /// From the first page to the last, at the peak.
        peak_span_bytes: u64 [Bytes],
        /// Spans, at the peak.
        peak_spans: u64 [Count],
        /// In holes, at the peak.
        peak_free_bytes: u64 [Bytes],
        /// Holes, at the peak.
        peak_holes: u64 [Count],
        /// Half as many as blocks, at the peak.
        peak_usual_holes: u64 [Count],
        /// The largest hole, at the peak.
        peak_largest_hole_bytes: u64 [Bytes],
        /// 1 − largest hole / bytes in holes, at the peak.
        peak_fragmentation: f64 [Share],
        /// Free bytes that 2 MiB cannot use, at the peak.
        peak_unusable_2m: f64 [Share],
        /// Free bytes that 64 MiB cannot use, at the peak.
        peak_unusable_64m: f64 [Share],
        /// Free bytes that 512 MiB cannot use, at the peak.
        peak_unusable_512m: f64 [Share],
        /// Free bytes that the typical request cannot use, at the peak.
        peak_unusable_typical: f64 [Share],
        /// Blocks, at the end.
        end_blocks: u64 [Count],
        /// As requested, at the end.
        end_asked_bytes: u64 [Bytes],
        /// After rounding, at the end.
        end_rounded_bytes: u64 [Bytes],
        /// Pages that they occupy, at the end.
        end_page_bytes: u64 [Bytes],
        /// Pages without requested bytes, at the end.
        end_slack_bytes: u64 [Bytes],
        /// From the first page to the last, at the end.
        end_span_bytes: u64 [Bytes],
        /// Spans, at the end.
        end_spans: u64 [Count],
        /// In holes, at the end.
        end_free_bytes: u64 [Bytes],
        /// Holes, at the end.
        end_holes: u64 [Count],
        /// Half as many as blocks, at the end.
        end_usual_holes: u64 [Count],
        /// The largest hole, at the end.
        end_largest_hole_bytes: u64 [Bytes],
        /// 1 − largest hole / bytes in holes, at the end.
        end_fragmentation: f64 [Share],
        /// Free bytes that 2 MiB cannot use, at the end.
        end_unusable_2m: f64 [Share],
        /// Free bytes that 64 MiB cannot use, at the end.
        end_unusable_64m: f64 [Share],
        /// Free bytes that 512 MiB cannot use, at the end.
        end_unusable_512m: f64 [Share],
        /// Free bytes that the typical request cannot use, at the end.
        end_unusable_typical: f64 [Share],
    }
}
