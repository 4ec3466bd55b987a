//! `use-before-alloc`: a stream-ordered block was used with no edge from its allocation.
//!
//! ## What it reports
//! Work on a block of `aclrtMemPoolMallocAsync` that is on another stream than the
//! allocation, or blocking, with no edge from the allocation to it.
//!
//! ## Why it matters
//! The address is known at the call, but the memory is only there when the stream
//! reaches the allocation. Until then the address may be unmapped, or belong to another
//! block that was released on a stream which has not got that far.
//!
//! ## Example
//! ```c
//! aclrtMemPoolMallocAsync(&block, n, pool, first);
//! aclrtMemsetAsync(block, n, 0, n, second);     // use-before-alloc: it does not wait
//! ```
//!
//! ## How to fix it
//! Use the block on the stream that it was allocated on, or let the other stream wait
//! for an event recorded after the allocation.
//!
//! ## What it cannot see
//! Kernels that the program launches itself; tensors of several operators. A callback
//! counts as a wait for its stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a
//! snapshot of the process (`aclrtSnapShotProcessLock`) count as waits for the device.
//! The whole definition is in `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtMemPoolMallocAsync` (CANN 9.1 and later);
//! runtime 681ef761 (CANN 9.2), where an AI CPU task on the stream does the device's
//! part.

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `use-before-alloc`.
pub static RULE: Rule = Rule {
    name: "use-before-alloc",
    severity: Severity::Error,
    summary: "a stream-ordered block was used with no edge from its allocation",
    is_live: true,
    source: include_str!("use_before_alloc.rs"),
};

/// Checks a use of a stream-ordered block.
pub fn check(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} used a block that {} may not have allocated yet",
        race.here.name(),
        race.here.timeline_kind.name(),
        race.earlier.timeline_kind.name()
    );
    race.finding(&RULE, message).advise(
        "goes ahead: the call returns the address, but the memory is there only when the stream reaches the allocation",
        race.wait(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_use_on_another_stream_names_both() {
        let block = block("aclrtMemPoolMallocAsync", 0x1000, 64);
        let found = check(&race(
            &block,
            ("aclrtMemPoolMallocAsync", TimelineKind::Stream(1)),
            ("aclrtMemsetAsync", TimelineKind::Stream(2)),
        ));
        assert_eq!(
            found.message,
            "`aclrtMemsetAsync` on stream 2 used a block that stream 1 may not have allocated yet"
        );
    }
}
