//! `host-buffer-reused-in-flight`: host memory was released or refilled under a queued copy.
//!
//! ## What it reports
//! Page-locked or registered host memory that was released, unregistered, or
//! overwritten by another copy or a fill while a queued copy reads or writes it and
//! nothing has told the host that this copy has completed. A fill of host memory
//! (`aclrtMemsetAsync`, `aclrtMemsetD32Async`) is done at the call: a stream does not
//! delay it.
//!
//! ## Why it matters
//! A queued copy reads its source when the stream reaches it, not at the call. A
//! staging buffer that is refilled too early sends the new bytes twice and the old ones
//! never; one that is released sends whatever its next owner has put there.
//!
//! ## Example
//! ```c
//! aclrtMemcpyAsync(dst, n, staging, n, ACL_MEMCPY_HOST_TO_DEVICE, stream);
//! aclrtFreeHost(staging);               // host-buffer-reused-in-flight
//! ```
//!
//! ## How to fix it
//! Wait for the copy before the buffer is released or filled again:
//! `aclrtSynchronizeStream`, or an event. With two buffers that take turns the wait
//! costs nothing.
//!
//! ## What it cannot see
//! What the program itself writes into the buffer through a pointer. Pageable memory:
//! the runtime may or may not wait for such a copy. A callback counts as a wait for its
//! stream, and so does `aclrtStreamStop`; `aclmdlRIAbort` and a snapshot of the process
//! (`aclrtSnapShotProcessLock`) count as waits for the device. The whole definition is
//! in `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtMemcpyAsync`, `aclrtFreeHost`,
//! `aclrtMemsetD32Async`; runtime 681ef761 (CANN 9.2). PaddleCustomDevice pull 357,
//! vllm-ascend pull 15746.

use crate::api::functions::Role;
use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `host-buffer-reused-in-flight`.
pub static RULE: Rule = Rule {
    name: "host-buffer-reused-in-flight",
    severity: Severity::Error,
    summary: "host memory was released or refilled under a queued copy",
    is_live: true,
    source: include_str!("host_buffer_reused_in_flight.rs"),
};

const RUNTIME: &str = "goes ahead: a queued copy reads or writes host memory when the stream reaches it, whatever is there by then";

const FILLED: &str =
    "goes ahead: host memory is filled before the call returns, whatever the stream";

/// Checks a release of host memory.
pub fn check_released(race: &Race) -> Finding {
    let message = format!(
        "`{}` released host memory that `{}` on {} may still be using",
        race.here.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    race.finding(&RULE, message).advise(RUNTIME, race.wait())
}

/// Checks a write to host memory.
pub fn check_overwritten(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} wrote to host memory that `{}` on {} may still be using",
        race.here.name(),
        race.here.timeline_kind.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    let call = &race.here.call;
    let is_fill = call.function.role == Role::Set && call.function.is_async;
    let runtime = if is_fill { FILLED } else { RUNTIME };
    race.finding(&RULE, message).advise(runtime, race.wait())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_release_under_a_queued_copy_names_the_wait() {
        let block = block("aclrtMallocHost", 0x1000, 64);
        let copy = ("aclrtMemcpyAsync", TimelineKind::Stream(1));
        let found = check_released(&race(&block, copy, ("aclrtFreeHost", TimelineKind::Host)));
        assert_eq!(
            found.message,
            "`aclrtFreeHost` released host memory that `aclrtMemcpyAsync` on stream 1 may still be using"
        );
        assert_eq!(
            found.instead,
            "call `aclrtSynchronizeStream` on stream 1 before"
        );
    }

    #[test]
    fn a_fill_is_the_hosts_whatever_its_stream() {
        let block = block("aclrtMallocHost", 0x1000, 64);
        let copy = ("aclrtMemcpyAsync", TimelineKind::Stream(1));
        let found = check_overwritten(&race(
            &block,
            copy,
            ("aclrtMemsetAsync", TimelineKind::Host),
        ));
        assert_eq!(
            found.message,
            "`aclrtMemsetAsync` on the host wrote to host memory that `aclrtMemcpyAsync` on stream 1 may still be using"
        );
        assert_eq!(found.runtime, FILLED);
    }

    #[test]
    fn another_streams_copy_into_it_names_the_event() {
        let block = block("aclrtMallocHost", 0x1000, 64);
        let copy = ("aclrtMemcpyAsync", TimelineKind::Stream(1));
        let found = check_overwritten(&race(
            &block,
            copy,
            ("aclrtMemcpyAsync", TimelineKind::Stream(2)),
        ));
        assert_eq!(
            found.instead,
            "`aclrtRecordEvent` on stream 1 after `aclrtMemcpyAsync`, and let stream 2 wait for it with `aclrtStreamWaitEvent` before"
        );
    }
}
