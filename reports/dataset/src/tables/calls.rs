//! Calls by function.

crate::table! {
    /// One function.
    Call in "calls" {
        /// The process.
        process: String [Key],
        /// The function.
        function: String [Key],
        /// Calls.
        calls: u64 [Count],
        /// Refused ones.
        failures: u64 [Count],
    }
}
