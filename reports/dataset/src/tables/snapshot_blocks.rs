//! Blocks that were live at the program's snapshots. Empty unless the export asks for them, because a program may take many snapshots.

use crate::cell::Address;

crate::table! {
    /// A block at a snapshot.
    SnapshotBlock in "snapshot_blocks" {
        /// The process.
        process: String [Key, since 2],
        /// When the snapshot was taken: `begin_ns` of a row of `epochs` whose kind is `snapshot`.
        snapshot_ns: u64 [Nanoseconds, since 2],
        /// Its first byte; for objects without bytes, the handle.
        address: Address [Address, since 2],
        /// As requested.
        size_bytes: u64 [Bytes, since 2],
        /// Its family.
        family: String [None, since 2],
        /// Its device; −1 if unknown.
        device: i32 [Key, since 2],
        /// Its call site.
        stack: u32 [Key, since 2],
        /// The allocating thread.
        thread: u32 [Key, since 2],
        /// When it was allocated.
        allocated_ns: u64 [Nanoseconds, since 2],
    }
}
