//! Steps, ranges and marks of the program, and its snapshots.

crate::table! {
    /// A span, or a moment.
    Epoch in "epochs" {
        /// The process.
        process: String [Key],
        /// Order.
        epoch: u32 [Key],
        /// `annotation` for a step of `aclsan.h`, `range` or `mark` of mstx, `snapshot`.
        kind: String [None],
        /// The mstx domain.
        domain: String [None],
        /// Its name.
        name: String [None],
        /// When it began.
        begin_ns: u64 [Nanoseconds],
        /// When it ended; null for a moment, and for a span that lasted to the end.
        end_ns: Option<u64> [Nanoseconds],
        /// Device memory live at its begin; for a snapshot, memory of any kind.
        live_bytes: u64 [Bytes],
        /// For a snapshot, live blocks.
        live_blocks: Option<u64> [Count],
    }
}
