//! Live bytes over time, in a bounded number of points of each process, with every peak and dip.

crate::table! {
    /// Live bytes of one family at one moment.
    Point in "timeline" {
        /// The process.
        process: String [Key],
        /// Number of the point; in order of time within the process, a device or a category.
        point: u32 [Key],
        /// When.
        ns: u64 [Nanoseconds],
        /// The device; null for host memory, for a category, and for the sum over several devices.
        device: Option<i32> [Key],
        /// The family; empty for a category of memory.
        family: String [None],
        /// `device` or `host`; for rows without a family, the category of memory that they are of, as in `categories`.
        category: String [None],
        /// Live then.
        live_bytes: u64 [Bytes],
        /// Whether the row is of one of several devices, or of a category: the sum has rows of its own.
        is_part: bool [None, since 2],
    }
}
