//! Failures: refused calls, pointers of unknown origin, damaged parts of the log.

use crate::cell::Address;

crate::table! {
    /// Failures of one kind.
    Failure in "failures" {
        /// The process.
        process: String [Key],
        /// `refused`, `unknown pointer` or `damaged log`.
        kind: String [None],
        /// The AscendCL function; empty for a damaged log.
        function: String [None],
        /// Its return code.
        status: Option<i32> [None],
        /// The code's name.
        status_name: Option<String> [None],
        /// Times.
        count: u64 [Count],
        /// Requested by refused allocations; skipped in a damaged log.
        bytes: u64 [Bytes],
        /// The first unknown pointer; the offset in a damaged log.
        address: Option<Address> [Address],
        /// The call, where one is known.
        stack: Option<u32> [Key],
    }
}
