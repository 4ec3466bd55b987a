//! `pool-destroyed-live`: a pool was destroyed while blocks of it were live.
//!
//! ## What it reports
//! `aclrtMemPoolDestroy` on a pool that has blocks which nobody gave back, with where
//! each was allocated.
//!
//! ## Why it matters
//! The runtime looks at no block before it destroys a pool: the memory goes at once,
//! under the work that is queued on it and the pointers that the program keeps. A
//! kernel that comes to it later traps (507015, 507035), or reads what another
//! allocation has been given there.
//!
//! ## Example
//! ```c
//! aclrtMemPoolMallocAsync(&rows, 4096, pool, stream);
//! aclrtMemPoolDestroy(pool);   // pool-destroyed-live: `rows` goes with it
//! ```
//!
//! ## What it cannot see
//! Work that is still queued on blocks that were given back with
//! `aclrtMemPoolFreeAsync`: synchronise the streams first. Pools that were made, or
//! blocks that were allocated, before the shim was loaded. A destruction that fails.
//!
//! Source: AscendCL API reference, `aclrtMemPoolDestroy`; runtime 681ef761 (CANN 9.2),
//! which checks only whether the pool may be deleted at all.

use crate::block::Place;
use crate::catalogue::{Rule, Severity};
use crate::finding::Finding;
use crate::functions::{Call, Family, Role};
use crate::quantity::bytes;

/// `pool-destroyed-live`.
pub static RULE: Rule = Rule {
    name: "pool-destroyed-live",
    severity: Severity::Error,
    summary: "a pool was destroyed while blocks of it were live",
    is_live: true,
    source: include_str!("pool_destroyed_live.rs"),
};

/// Judges a call that ended the block in `place`: the destruction of a pool ends those that it had given out.
pub fn check(call: &Call, place: &Place) -> Option<Finding> {
    let (&Place::Live(block, 0), Role::Release(Family::MemPool)) = (place, call.function.role)
    else {
        return None;
    };
    if block.family() != Family::Pool {
        return None;
    }
    let message = format!(
        "`{}` destroyed a pool with a live block of {}",
        call.function.name,
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(block.address, &block, 0)
            .advise(
                "looks at no block: its memory goes at once, whatever is queued on it",
                "give every block back with `aclrtMemPoolFreeAsync` and synchronise its streams before",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::*;

    #[test]
    fn a_live_block_of_the_pool_is_reported_with_its_allocation() {
        let block = block("aclrtMemPoolMallocAsync", 0x20_0000, 4096);
        let finding = check(&call("aclrtMemPoolDestroy"), &Place::Live(block, 0)).unwrap();
        assert_eq!(
            finding.message,
            "`aclrtMemPoolDestroy` destroyed a pool with a live block of 4096 bytes"
        );
        assert_eq!(finding.earlier[0].1, ALLOCATION_SITE);
        assert_eq!(finding.address, Some(0x20_0000));
    }

    #[test]
    fn the_pool_itself_and_blocks_that_were_given_back_are_silent() {
        let destroy = call("aclrtMemPoolDestroy");
        let pool = block("aclrtMemPoolCreate", 0x1000, 0);
        let rows = block("aclrtMemPoolMallocAsync", 0x20_0000, 4096);
        for place in [Place::Live(pool, 0), ended(rows, 0), Place::Unknown] {
            assert_eq!(check(&destroy, &place), None);
        }
        let free = call("aclrtMemPoolFreeAsync");
        assert_eq!(check(&free, &Place::Live(rows, 0)), None);
    }
}
