//! What memory is for: device memory by category, where the program says so. Bytes over time are in `timeline`.

crate::table! {
    /// A category of a process.
    Category in "categories" {
        /// The process.
        process: String [Key, since 2],
        /// `weights`, `gradients`, `optimizer_state`, `activations`, `kv_cache`, `workspace`, `communication`, `temporary` or `other`.
        category: String [None, since 2],
        /// Blocks and parts of pools that were given this category.
        allocations: u64 [Count, since 2],
        /// Those live at the end.
        live_blocks: u64 [Count, since 2],
        /// Their bytes.
        live_bytes: u64 [Bytes, since 2],
        /// Peak of live bytes.
        peak_bytes: u64 [Bytes, since 2],
        /// When that was.
        peak_ns: u64 [Nanoseconds, since 2],
        /// Most bytes that were live throughout a step and that no call in it named; null without steps, or if work was queued whose arguments are
        /// not recorded.
        idle_bytes: Option<u64> [Bytes, since 2],
        /// Most bytes that were live throughout a step, in blocks and parts that calls in it named, but behind all that those calls used and that
        /// pools ever gave out; null as for idle_bytes.
        oversized_bytes: Option<u64> [Bytes, since 2],
    }
}
