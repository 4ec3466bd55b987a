//! Use of memory by device, and by family.

crate::table! {
    /// One device's memory, or one family's.
    Usage in "usage" {
        /// The process.
        process: String [Key],
        /// The device, −1 if unknown; null in a family's row. Only the families device, dvpp, dvpp-mpi, pool and physical are its memory.
        device: Option<i32> [Key],
        /// The family; null in a device's row.
        family: Option<String> [Key],
        /// Allocations of the family.
        allocations: u64 [Count],
        /// Releases of the family.
        releases: u64 [Count],
        /// Allocated by the family in all.
        allocated_bytes: u64 [Bytes],
        /// Live at the end.
        live_bytes: u64 [Bytes],
        /// Peak.
        peak_bytes: u64 [Bytes],
        /// When that was.
        peak_ns: u64 [Nanoseconds],
        /// Fewest free bytes that the runtime reported for the device; null if it was not asked.
        least_free_bytes: Option<u64> [Bytes],
        /// Total bytes that it reported.
        total_bytes: Option<u64> [Bytes],
    }
}
