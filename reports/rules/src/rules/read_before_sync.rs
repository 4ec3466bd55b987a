//! `read-before-sync`: a result was read before anything waited for the work that writes it.
//!
//! ## What it reports
//! A copy, or another blocking call, that reads what a queued copy, fill, operator or
//! model writes, if nothing orders it after that work: blocking copies out of device
//! memory, copies to the host on another stream, copies from a host buffer that is
//! being filled.
//!
//! Later calls that the same wait would have ordered are its consequences, as in
//! `unordered-access`.
//!
//! ## Why it matters
//! A blocking `aclrtMemcpy` waits for no stream, unlike CUDA's. It reads whatever is
//! there: the old bytes, part of the new ones, or all of them if the work was fast
//! enough, which is why tests pass.
//!
//! ## Example
//! ```c
//! aclrtMemsetAsync(sum, n, 0, n, stream);
//! aclrtMemcpy(host, n, sum, n, ACL_MEMCPY_DEVICE_TO_HOST);   // read-before-sync
//! ```
//!
//! ## How to fix it
//! Wait for the stream of the work that writes the result, then copy; or queue the copy
//! on that stream and wait for both.
//!
//! ## What it cannot see
//! What the program itself reads through a pointer into pinned memory. Results of
//! kernels that the program launches itself and of tensors of several operators. The
//! data of shared buffers (`aclrtAllocBuf`). A callback counts as a wait for its stream,
//! and so does `aclrtStreamStop`; `aclmdlRIAbort` and a snapshot of the process
//! (`aclrtSnapShotProcessLock`) count as waits for the device. A tensor that was created
//! and given to nobody is taken for the next operator's. The whole definition is in
//! `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, `aclrtSynchronizeStream`; runtime
//! 681ef761 (CANN 9.2). Mooncake pull 1399 (review).

use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `read-before-sync`.
pub static RULE: Rule = Rule {
    name: "read-before-sync",
    severity: Severity::Error,
    summary: "a result was read before anything waited for the work that writes it",
    is_live: true,
    source: include_str!("read_before_sync.rs"),
};

/// Checks a read of what is being written.
pub fn check(race: &Race) -> Finding {
    let message = format!(
        "`{}` on {} read what `{}` on {} may not have written yet",
        race.here.name(),
        race.here.timeline_kind.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    race.finding(&RULE, message).advise(
        "goes ahead: neither a blocking copy nor one on another stream waits, and old bytes may be read",
        race.wait(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_blocking_read_names_the_host_and_the_wait() {
        let block = device_block(0x1000, 64);
        let found = check(&race(
            &block,
            ("aclrtMemsetAsync", TimelineKind::Default(0)),
            ("aclrtMemcpy", TimelineKind::Host),
        ));
        assert_eq!(
            found.message,
            "`aclrtMemcpy` on the host read what `aclrtMemsetAsync` on the default stream of device 0 may not have written yet"
        );
        assert_eq!(found.instead, "call `aclrtSynchronizeStream(NULL)` before");
    }
}
