//! Live bytes over time, in a bounded number of points of each process, with every peak and dip.

crate::table! {
    /// Live bytes of one family at one moment.
    Point in "timeline" {
        /// The process.
        process: String [Key],
        /// Number of the point, in order of time.
        point: u32 [Key],
        /// When.
        ns: u64 [Nanoseconds],
        /// The device, if the process used one only; else null: points are of all devices.
        device: Option<i32> [Key],
        /// The family.
        family: String [None],
        /// `device` or `host`.
        category: String [None],
        /// Live then.
        live_bytes: u64 [Bytes],
    }
}
