//! Pools that the program or the runtime reported.

crate::table! {
    /// The pools with one name on one device.
    Pool in "pools" {
        /// The process.
        process: String [Key],
        /// `annotation`, `mstx` or `runtime`.
        source: String [None],
        /// Name; for mstx, the domain.
        name: String [None],
        /// The device; −1 if unknown.
        device: i32 [Key],
        /// Pools.
        pools: u64 [Count],
        /// Peak of their capacity; 0 if not reported.
        capacity_bytes: u64 [Bytes],
        /// Sub-blocks allocated.
        allocations: u64 [Count],
        /// Sub-blocks released.
        releases: u64 [Count],
        /// Sub-blocks that ended with their pool.
        dropped: u64 [Count],
        /// Sub-blocks live at the end.
        live_blocks: u64 [Count],
        /// Their bytes.
        live_bytes: u64 [Bytes],
        /// Peak of live sub-blocks.
        peak_bytes: u64 [Bytes],
        /// When that was.
        peak_ns: u64 [Nanoseconds],
        /// Sub-blocks that overlapped another.
        overlaps: u64 [Count],
        /// Sub-blocks beyond their pool.
        outside: u64 [Count],
    }
}
