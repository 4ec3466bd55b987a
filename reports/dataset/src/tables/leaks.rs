//! Leaks: never released blocks of one site with one fate, by thread, age and epoch.

crate::table! {
    /// Part of a leak. Columns before `part_thread` are the leak's own and repeat in its parts.
    Leak in "leaks" {
        /// The process.
        process: String [Key],
        /// Number of the leak in this process.
        leak: u32 [Key],
        /// Number of the finding about it; null if no rule reports it.
        finding: Option<u32> [Key],
        /// The allocating call.
        stack: u32 [Key],
        /// The site of that call.
        site: String [Key],
        /// The family.
        family: String [None],
        /// The device; −1 if unknown.
        device: i32 [Key],
        /// Thread of the oldest block.
        thread: u32 [Key],
        /// Its name.
        thread_name: Option<String> [None],
        /// `lost`, `still reachable`, `kept for the process`, `unknown`.
        class: String [None],
        /// Whether the device's last reset reclaimed them.
        is_reclaimed: bool [None],
        /// The largest block.
        largest_bytes: u64 [Bytes],
        /// Standard deviation of the leak's bytes, which are an estimate if only a sample of the blocks is recorded; else 0.
        deviation_bytes: u64 [Bytes, since 2],
        /// By how much one more recorded block might have raised them.
        step_bytes: u64 [Bytes, since 2],
        /// Bytes of its recorded blocks.
        recorded_bytes: u64 [Bytes, since 2],
        /// Age of the youngest.
        youngest_ns: u64 [Nanoseconds],
        /// Age of the oldest.
        oldest_ns: u64 [Nanoseconds],
        /// The program's names for them, in lines.
        names: String [None],
        /// The allocating thread of this part.
        part_thread: u32 [Key],
        /// Limit of this part's age: a power of ten.
        below_ns: u64 [Nanoseconds],
        /// The epoch of the allocation; empty for none.
        epoch: String [None],
        /// Blocks of this part.
        blocks: u64 [Count],
        /// Bytes of this part.
        bytes: u64 [Bytes],
    }
}
