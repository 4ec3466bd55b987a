//! `workspace-freed-in-flight`: an operator's workspace was released or reused too early.
//!
//! ## What it reports
//! The release of a block that a queued operator (`aclnnXxx`) uses as its workspace;
//! another operator on another stream that gets the same bytes as its workspace; a copy
//! or fill that writes there: if nothing orders it after the operator.
//!
//! ## Why it matters
//! The second phase of an operator only queues it. Its workspace must stay until the
//! stream has executed the operator; one that is freed or shared before gives wrong
//! results or traps the kernel (507015, 507035). Reuse on the same stream is fine.
//!
//! ## Example
//! ```c
//! aclnnMatmul(workspace, size, executor, stream);
//! aclrtFree(workspace);                          // workspace-freed-in-flight
//! ```
//!
//! ## How to fix it
//! Keep the workspace until the stream has been waited for, or give each stream one of
//! its own that it keeps.
//!
//! ## What it cannot see
//! Operators whose workspace is of unknown origin. A callback counts as a wait for its
//! stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a snapshot of the process
//! (`aclrtSnapShotProcessLock`) count as waits for the device. The whole definition is
//! in `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: CANN operator library base (opbase aa3cd74b, CANN 9.2), second phase;
//! vllm-ascend issue 13761 and pull 16496, llama.cpp pull 20151.

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `workspace-freed-in-flight`.
pub static RULE: Rule = Rule {
    name: "workspace-freed-in-flight",
    severity: Severity::Error,
    summary: "an operator's workspace was released or reused too early",
    is_live: true,
    source: include_str!("workspace_freed_in_flight.rs"),
};

const RUNTIME: &str = "goes ahead: phase two only queues the operator, which uses the workspace when the stream reaches it";

/// Checks a release.
pub fn check_release(race: &Race) -> Finding {
    let message = format!(
        "`{}` released the workspace of an operator that `{}` queued on {}",
        race.here.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    let instead = format!(
        "{}, or keep the workspace for the stream's next operator",
        race.wait()
    );
    race.finding(&RULE, message).advise(RUNTIME, instead)
}

/// Checks a reuse.
pub fn check_reuse(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} works in the workspace of an operator that `{}` queued on {}",
        race.here.name(),
        race.here.timeline_kind.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    let instead = format!(
        "give each stream a workspace of its own; or {}",
        race.wait()
    );
    race.finding(&RULE, message).advise(RUNTIME, instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    const RUN: &str = "CommonOpExecutorRun";

    #[test]
    fn a_release_under_the_operator_names_both() {
        let block = device_block(0x1000, 64);
        let (run, free) = (
            (RUN, TimelineKind::Stream(1)),
            ("aclrtFree", TimelineKind::Host),
        );
        assert_eq!(
            check_release(&race(&block, run, free)).message,
            "`aclrtFree` released the workspace of an operator that `CommonOpExecutorRun` queued on stream 1"
        );
    }

    #[test]
    fn another_streams_operator_in_it_names_both() {
        let block = device_block(0x1000, 64);
        let (run, other) = (
            (RUN, TimelineKind::Stream(1)),
            (RUN, TimelineKind::Stream(2)),
        );
        assert_eq!(
            check_reuse(&race(&block, run, other)).message,
            "`CommonOpExecutorRun` on stream 2 works in the workspace of an operator that `CommonOpExecutorRun` queued on stream 1"
        );
    }
}
