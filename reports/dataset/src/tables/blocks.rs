//! Blocks that were live at the end, or that the device's last reset reclaimed.

use crate::cell::Address;

crate::table! {
    /// A block.
    Block in "blocks" {
        /// The process.
        process: String [Key],
        /// Its first byte; for objects without bytes, the handle.
        address: Address [Address],
        /// As requested.
        size_bytes: u64 [Bytes],
        /// Its family.
        family: String [None],
        /// Its device; −1 if unknown.
        device: i32 [Key],
        /// Its call site.
        stack: u32 [Key],
        /// The allocating thread.
        thread: u32 [Key],
        /// When it was allocated.
        allocated_ns: u64 [Nanoseconds],
        /// Number of the leak in `leaks` that counts it; null if there is none: it was asked to be ignored, is no memory, was live when the program
        /// died, or is a pool's, whose parts are counted.
        leak: Option<u32> [Key],
        /// `lost`, `still reachable`, `kept for the process`, `unknown`; null if it is no leak.
        class: Option<String> [None],
        /// Whether a reset reclaimed it.
        is_reclaimed: bool [None],
        /// What the program said it is for: `weights`, `gradients`, `optimizer_state`, `activations`, `kv_cache`, `workspace`, `communication`,
        /// `temporary`, `other`; null if it said nothing.
        category: Option<String> [None, since 2],
    }
}
