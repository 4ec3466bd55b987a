//! What follows from a `leak-growing`: the leak of the same place.
//!
//! Memory that grows and is never released is both, and the growth says more. `leak` and `leak-reachable` of that place
//! follow from it, whatever became of the single blocks. Leaks of other places do not, and neither do descriptors and
//! registrations, which are no memory.
//!
//! The leak is mostly an error and the growth a warning. The root takes over the severity of what follows from it, so
//! that a check that failed keeps failing.

use aclsan_log::CallSiteId;

use crate::evidence::finding::Finding;
use crate::rules::{leak, leak_growing, leak_reachable};

/// Whether leaks may follow from `finding`.
pub fn is_root(finding: &Finding) -> bool {
    finding.rule.name == leak_growing::RULE.name
}

/// Whether `leak` follows from `growing`. `place` returns the same number for all call sites with one stack.
pub fn takes_in(
    growing: &Finding,
    leak: &Finding,
    place: impl Fn(CallSiteId) -> CallSiteId,
) -> bool {
    let is_leak = [leak::RULE.name, leak_reachable::RULE.name].contains(&leak.rule.name);
    is_root(growing) && is_leak && place(growing.here) == place(leak.here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::Block;
    use crate::evidence::testing::*;
    use crate::rules::leak_descriptor;

    #[test]
    fn only_the_leak_of_memory_of_the_same_place_follows() {
        let block = device_block(0x1000, 64);
        let growing = Finding::new(&leak_growing::RULE, block.site, String::new()).of(&block);
        let lost = |block: &Block| leak::check(block, 1, 64, None).unwrap();
        let is_taken = |leak: &Finding| takes_in(&growing, leak, |site| site);
        assert!(is_taken(&lost(&block)));
        let elsewhere = Block {
            site: RELEASE_SITE,
            ..block
        };
        assert!(!is_taken(&lost(&elsewhere)));
        let descriptor = Finding::new(&leak_descriptor::RULE, block.site, String::new());
        assert!(!is_taken(&descriptor));
    }
}
