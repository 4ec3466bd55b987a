//! `pool-destroyed-live`: a pool was destroyed while blocks of it were live.
//!
//! ## What it reports
//! `aclrtMemPoolDestroy` on a pool with blocks that were not released, with where each
//! was allocated.
//!
//! ## Why it matters
//! The runtime checks no block before it destroys a pool: the memory is gone
//! immediately, under the work queued on it and the pointers that the program keeps. A
//! kernel that reaches it later traps (507015, 507035), or reads what another
//! allocation has put there.
//!
//! ## Example
//! ```c
//! aclrtMemPoolMallocAsync(&rows, 4096, pool, stream);
//! aclrtMemPoolDestroy(pool);   // pool-destroyed-live: `rows` goes with it
//! ```
//!
//! ## How to fix it
//! Release every block of the pool and synchronize its streams, then destroy the pool.
//!
//! ## What it cannot see
//! Work still queued on blocks that were released with `aclrtMemPoolFreeAsync`:
//! synchronize the streams first. Pools created, or blocks allocated, before the shim
//! was loaded. A destruction that fails.
//!
//! Source: AscendCL API reference, `aclrtMemPoolDestroy`; runtime 681ef761 (CANN 9.2),
//! which checks only whether the pool may be deleted at all.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::race::Race;
use crate::evidence::rule::{Rule, Severity};

/// `pool-destroyed-live`.
pub static RULE: Rule = Rule {
    name: "pool-destroyed-live",
    severity: Severity::Error,
    summary: "a pool was destroyed while blocks of it were live",
    is_live: true,
    source: include_str!("pool_destroyed_live.rs"),
};

/// Checks the destruction of a pool that ends `block`. `race` is with the last access known to be queued on it, or with
/// its allocation if there is none; `is_done` says whether the host knows that it has completed.
pub fn check(call: &Call, block: &Block, race: Option<&Race>, is_done: bool) -> Finding {
    let size = bytes(block.size);
    let name = call.function.name;
    // Its allocation alone adds nothing that is not known.
    let is_used = |race: &&Race| !is_done && race.earlier.call.site != block.site;
    let (message, mut finding) = match race.filter(is_used) {
        Some(race) => {
            let message = format!(
                "`{name}` destroyed a pool with a live block of {size}, which `{}` on {} may still be using",
                race.earlier.name(),
                race.earlier.timeline_kind.name()
            );
            let state = "may still be running";
            (message, pictured(race, state))
        }
        None => {
            let message = format!("`{name}` destroyed a pool with a live block of {size}");
            let plain = Finding::new(&RULE, call.site, String::new()).on(block.address, block, 0);
            let state = if is_done {
                "is done, and the block is live"
            } else {
                "the block is live"
            };
            let pictured = race.map(|race| pictured(race, state));
            (message, pictured.unwrap_or(plain))
        }
    };
    finding.message = message;
    finding.advise(
        "looks at no block: its memory goes at once, whatever is queued on it",
        format!(
            "give every block back with `{}` and synchronize its streams before",
            block.release()
        ),
    )
}

fn pictured(race: &Race, state: &str) -> Finding {
    let mut finding = race.finding(&RULE, String::new());
    let wait = race.earlier.call.function.vendor().calls.synchronize_stream;
    let back = format!("`{}`, then `{wait}`", race.block.release());
    finding.details = race.diagram("", &back, state);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::race::TimelineKind;
    use crate::evidence::testing::*;

    #[test]
    fn a_block_of_an_unknown_stream_is_reported_with_its_allocation() {
        let block = block("aclrtMemPoolMallocAsync", 0x20_0000, 4096);
        let finding = check(&call("aclrtMemPoolDestroy"), &block, None, true);
        assert_eq!(
            finding.message,
            "`aclrtMemPoolDestroy` destroyed a pool with a live block of 4096 bytes"
        );
        assert_eq!(finding.earlier[0].1, ALLOCATION_SITE);
        assert_eq!(finding.address, Some(0x20_0000));
        assert!(finding.details.is_empty());
    }

    #[test]
    fn what_is_queued_on_it_is_named_and_shown_on_its_stream() {
        let block = block("aclrtMemPoolMallocAsync", 0x20_0000, 4096);
        let fill = ("aclrtMemsetAsync", TimelineKind::Stream(1));
        let race = race(&block, fill, ("aclrtMemPoolDestroy", TimelineKind::Host));
        let finding = check(&race.here.call, &block, Some(&race), false);
        assert_eq!(
            finding.message,
            "`aclrtMemPoolDestroy` destroyed a pool with a live block of 4096 bytes, which `aclrtMemsetAsync` on stream 1 may still be using"
        );
        assert_eq!(
            finding.details[3],
            "| - - - - - - - - - - - - - missing - > `aclrtMemPoolFreeAsync`, then `aclrtSynchronizeStream`"
        );
    }
}
