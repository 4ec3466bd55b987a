//! `free-in-flight`: memory was released while queued work still uses it.
//!
//! ## What it reports
//! `aclrtFree`, `acldvppFree` or `hi_mpi_dvpp_free` of a block that a queued copy,
//! fill, operator, model or collective reads or writes, if nothing has told the host
//! that this work has completed: no wait for its stream, its device or an event after
//! it. The same for `aclrtFree` of a pool's block; `aclrtMemPoolFreeAsync` waits in
//! stream order. A model uses its buffers and, until `aclmdlUnload`, the work and
//! weight memory it was given.
//!
//! Its consequences are later copies from or to the block (`copy-use-after-free`) and
//! what the quarantine finds written in the range that the work had (`freed-write`). It
//! is itself the consequence of an earlier error about the block, if the same wait is
//! missing (`read-before-sync`).
//!
//! ## Why it matters
//! No release waits for queued work, and none is refused because of it. The memory goes
//! to the next allocation immediately, and the work reads or writes there: sporadically
//! wrong results, or a kernel that traps (507015, 507035) far from the mistake.
//!
//! ## Example
//! ```c
//! aclrtMemcpyAsync(dst, n, src, n, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
//! aclrtFree(src);                       // free-in-flight: the copy may not have begun
//! ```
//!
//! ## How to fix it
//! Wait for the work first: `aclrtSynchronizeStream`, or an event that is recorded
//! after it. `aclrtFreeWithDevSync` waits for the whole device. Or keep the block for
//! the next step instead of releasing it.
//!
//! ## What it cannot see
//! Kernels that the program launches itself, whose memory is hidden in their arguments;
//! tensors of several operators; the data of shared buffers (`aclrtAllocBuf`); work on
//! streams created before aclsan was loaded. Random numbers whose count is on the device
//! (`aclrtRandomNumAsync`), and what `aclrtTaskUpdateAsync` changes in queued kernels. A
//! callback counts as a wait for its stream, and so does `aclrtStreamStop`;
//! `aclmdlRIAbort` and a snapshot of the process (`aclrtSnapShotProcessLock`) count as
//! waits for the device. An operator does not tell which tensors it was given: those
//! that its thread created before it and destroyed after it are taken for its own,
//! including one that was given to nobody. The whole definition is in
//! `reports/rules/src/trackers/stream_order/mod.rs`.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeWithDevSync`; runtime
//! 681ef761 (CANN 9.2), where `DevFree` waits for nothing, and neither does
//! `MemPoolFreeSync`: the pool may give the memory to any stream immediately.
//! vllm-ascend issue 13761.

use crate::api::family::Family;
use crate::evidence::finding::Finding;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `free-in-flight`.
pub static RULE: Rule = Rule {
    name: "free-in-flight",
    severity: Severity::Error,
    summary: "memory was released while queued work still uses it",
    is_live: true,
    source: include_str!("free_in_flight.rs"),
};

/// Checks a release of device memory.
pub fn check(race: &Race) -> Finding {
    let message = format!(
        "`{}` released a block that `{}` on {} may still be using",
        race.here.name(),
        race.earlier.name(),
        race.earlier.timeline_kind.name()
    );
    let release = race.here.call.function;
    let instead = match (release.vendor().waiting_release)(release) {
        Some(_) if race.block.family() == Family::Pool => format!(
            "{}, or release with `{}` on {}",
            race.wait(),
            race.block.release(),
            race.earlier.timeline_kind.name()
        ),
        Some(waiting) => format!("{}, or release with `{waiting}`", race.wait()),
        None => race.wait(),
    };
    race.finding(&RULE, message).advise(
        "goes ahead: no release waits for queued work, and the memory may belong to another block when the work runs",
        instead,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_release_behind_a_queued_copy_names_both_and_the_wait_between() {
        let block = device_block(0x1000, 64);
        let race = race(
            &block,
            ("aclrtMemcpyAsync", TimelineKind::Stream(2)),
            ("aclrtFree", TimelineKind::Host),
        );
        let found = check(&race);
        assert_eq!(
            found.message,
            "`aclrtFree` released a block that `aclrtMemcpyAsync` on stream 2 may still be using"
        );
        assert_eq!(
            found.instead,
            "call `aclrtSynchronizeStream` on stream 2 before, or release with `aclrtFreeWithDevSync`"
        );
        assert_eq!(
            found.earlier[0],
            (crate::evidence::finding::Earlier::Queued, QUEUED_SITE)
        );
        assert_eq!(
            found.details[3],
            "| - - - - - - - - - - - - - missing - > `aclrtSynchronizeStream`"
        );
        assert_eq!(
            found.details[5],
            "v may still be running                  ^ waits for nothing of stream 2"
        );
    }
}
