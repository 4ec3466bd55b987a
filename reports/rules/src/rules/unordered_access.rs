//! `unordered-access`: two accesses to one range, one of them a write, that nothing orders.
//!
//! ## What it reports
//! Work on two streams, or on a stream and in a blocking call, that touches the same
//! bytes, where one of the two writes and no event, notify or host wait orders them.
//! Reads of a result by the host are `read-before-sync`.
//!
//! One missing edge is one finding: what follows on the later side about the same block,
//! and races with work that was queued by then, is listed below it. Work that is queued
//! afterwards, the other direction, and an error after a warning are findings of their
//! own.
//!
//! ## Why it matters
//! Streams run at their own pace, and AscendCL has no stream that waits for all others,
//! not even the default one. Which of the two comes first may differ from run to run,
//! and so do the bytes.
//!
//! ## Example
//! ```c
//! aclrtMemcpyAsync(rows, n, next, n, ACL_MEMCPY_HOST_TO_DEVICE, copies);
//! aclmdlExecuteAsync(model, rows_of, out, work);   // unordered-access: reads `rows`
//! ```
//!
//! ## How to fix it
//! Record an event after the first access with `aclrtRecordEvent`, and let the other
//! stream wait for it with `aclrtStreamWaitEvent`.
//!
//! ## What it cannot see
//! Kernels that the program launches itself; tensors of several operators; copies of
//! rows with gaps between them; the data of shared buffers (`aclrtAllocBuf`). Random
//! numbers whose count is on the device (`aclrtRandomNumAsync`), and what
//! `aclrtTaskUpdateAsync` changes in queued kernels. A callback counts as a wait for its
//! stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a snapshot of the process
//! (`aclrtSnapShotProcessLock`) count as waits for the device. A tensor that was created
//! and given to nobody is taken for the next operator's. The whole definition is in
//! `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtStreamWaitEvent`; runtime 681ef761 (CANN 9.2).

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `unordered-access`.
pub static RULE: Rule = Rule {
    name: "unordered-access",
    severity: Severity::Warning,
    summary: "two accesses to one range, one of them a write, that nothing orders",
    is_live: true,
    source: include_str!("unordered_access.rs"),
};

/// Checks two accesses.
pub fn check(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} and `{}` on {} touch the same bytes, and nothing orders them",
        race.earlier.name(),
        race.earlier.timeline_kind.name(),
        race.here.name(),
        race.here.timeline_kind.name()
    );
    race.finding(&RULE, message).advise(
        "goes ahead: streams wait for each other only where the program asks for it",
        race.wait(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn two_streams_on_the_same_bytes_are_named() {
        let block = device_block(0x1000, 64);
        let found = check(&race(
            &block,
            ("aclrtMemsetAsync", TimelineKind::Stream(1)),
            ("aclrtMemcpyAsync", TimelineKind::Stream(2)),
        ));
        assert_eq!(
            found.message,
            "`aclrtMemsetAsync` on stream 1 and `aclrtMemcpyAsync` on stream 2 touch the same bytes, and nothing orders them"
        );
        assert_eq!(found.severity, Severity::Warning);
    }
}
