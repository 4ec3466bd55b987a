//! What follows from a `mismatched-free` that the runtime refused: the block is still there.
//!
//! * The leak of that very block, if nothing released it afterwards. Other blocks of the same place leaked by
//!   themselves.
//! * `release-failed` of that block.
//!
//! A mismatch that the runtime accepted has no such consequences: the block is gone.

use std::collections::HashMap;

use aclsan_log::BlockId;

use super::Root;
use super::recent::Recent;
use crate::evidence::finding::Finding;
use crate::rules::{mismatched_free, release_failed};

/// Wrong releases that wait for the runtime's answer, a call later at most on each thread.
const MAX_PENDING: usize = 256;
/// Blocks that a wrong release left behind. More of them are leaks of their own.
const MAX_KEPT: usize = 1 << 16;

/// Wrong releases, and the blocks that they left behind.
#[derive(Debug)]
pub(super) struct Mismatches<H> {
    pending: Recent<(BlockId, Root<H>), MAX_PENDING>,
    kept: HashMap<BlockId, Root<H>>,
}

impl<H> Default for Mismatches<H> {
    fn default() -> Self {
        Self {
            pending: Recent::default(),
            kept: HashMap::new(),
        }
    }
}

impl<H: Copy> Mismatches<H> {
    pub fn root_of(&self, finding: &Finding) -> Option<Root<H>> {
        let (block, _) = finding.block?;
        match finding.rule.name == release_failed::RULE.name {
            true => self.keeper_of(block.id),
            false => None,
        }
    }

    pub fn remember(&mut self, finding: &Finding, root: Root<H>) {
        if let Some((block, _)) = finding.block
            && finding.rule.name == mismatched_free::RULE.name
        {
            self.pending.push((block.id, root));
        }
    }

    pub fn release_refused(&mut self, block: BlockId) {
        let pending = self.pending.take(|(known, _)| *known == block);
        if let Some((block, root)) = pending
            && self.kept.len() < MAX_KEPT
        {
            self.kept.entry(block).or_insert(root);
        }
    }

    pub fn keeper_of(&self, block: BlockId) -> Option<Root<H>> {
        self.kept.get(&block).copied()
    }
}

/// The leak of a block that a wrong release left behind.
pub fn kept(mut leak: Finding) -> Finding {
    leak.message
        .push_str(": the runtime refused the wrong release");
    leak
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::api::profile::Profile;
    use crate::consequences::Consequences;
    use crate::evidence::rule::Severity;
    use crate::evidence::testing::*;

    /// After `acldvppFree` of pinned memory.
    fn after() -> Consequences<u32> {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        let found =
            mismatched_free::check(&call("acldvppFree"), 0x1000, &info, &Profile::default());
        let root = Root {
            severity: Severity::Error,
            handle: Some(7),
        };
        let mut all = Consequences::default();
        all.remember(&found.unwrap(), root, &[]);
        all
    }

    fn failed() -> Finding {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        release_failed::check(&call("aclrtFreeHost"), 0x1000, &info, 107_000).unwrap()
    }

    #[test]
    fn the_block_of_a_refused_mismatch_is_kept_by_it() {
        let mut all = after();
        all.release_refused(BlockId(1));
        assert_eq!(all.keeper_of(BlockId(1)).unwrap().handle, Some(7));
        assert_eq!(all.root_of(&failed()).unwrap().handle, Some(7));
        assert_eq!(all.keeper_of(BlockId(2)), None);
    }

    #[test]
    fn an_accepted_mismatch_keeps_nothing() {
        let all = after();
        assert_eq!(all.keeper_of(BlockId(1)), None);
        assert_eq!(all.root_of(&failed()), None);
    }

    #[test]
    fn a_refused_release_of_the_right_family_keeps_nothing() {
        let mut all = Consequences::<u32>::default();
        all.release_refused(BlockId(1));
        assert_eq!(all.keeper_of(BlockId(1)), None);
    }
}
