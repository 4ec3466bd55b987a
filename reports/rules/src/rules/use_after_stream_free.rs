//! `use-after-stream-free`: a block was used where its stream-ordered release may be first.
//!
//! ## What it reports
//! Work queued on a block, on another stream than the `aclrtMemPoolFreeAsync` that
//! releases the block, with no edge from the work to that release.
//!
//! ## Why it matters
//! The release happens when its own stream reaches it, and that may be before the other
//! stream has reached the work, which then reads or writes memory that is unmapped or
//! has been given to somebody else.
//!
//! ## Example
//! ```c
//! aclrtMemsetAsync(block, n, 0, n, second);
//! aclrtMemPoolFreeAsync(block, first);          // use-after-stream-free
//! ```
//!
//! ## How to fix it
//! Release the block on the stream that uses it last, or let the releasing stream wait
//! for an event recorded after that use.
//!
//! ## What it cannot see
//! Kernels that the program launches itself; tensors of several operators. Work queued
//! after the call of the release is `copy-use-after-free`. A callback counts as a wait
//! for its stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a snapshot of the
//! process (`aclrtSnapShotProcessLock`) count as waits for the device. The whole
//! definition is in `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtMemPoolFreeAsync` (CANN 9.1 and later); runtime
//! 681ef761 (CANN 9.2).

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `use-after-stream-free`.
pub static RULE: Rule = Rule {
    name: "use-after-stream-free",
    severity: Severity::Error,
    summary: "a block was used where its stream-ordered release may be first",
    is_live: true,
    source: include_str!("use_after_stream_free.rs"),
};

/// Checks a release in stream order.
pub fn check(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} released a block that `{}` on {} may use afterwards",
        race.here.name(),
        race.here.timeline_kind.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    let instead = format!(
        "{}, or release it on {}",
        race.wait(),
        race.earlier.timeline_kind.name()
    );
    race.finding(&RULE, message).advise(
        "goes ahead: the release waits for its own stream only",
        instead,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_release_on_another_stream_than_the_work_names_both() {
        let block = block("aclrtMemPoolMallocAsync", 0x1000, 64);
        let found = check(&race(
            &block,
            ("aclrtMemsetAsync", TimelineKind::Stream(2)),
            ("aclrtMemPoolFreeAsync", TimelineKind::Stream(1)),
        ));
        assert_eq!(
            found.message,
            "`aclrtMemPoolFreeAsync` on stream 1 released a block that `aclrtMemsetAsync` on stream 2 may use afterwards"
        );
        assert!(found.instead.ends_with(", or release it on stream 2"));
    }
}
