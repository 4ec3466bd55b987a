//! What follows from a `copy-overrun`.
//!
//! * `destmax-overstated` of the same call and end, if the bytes written pass the end, too (it is an error then): the
//!   claim is why the runtime did not stop the copy.
//! * `guard-overrun`, `guard-underrun`, `slack-write` and `freed-write`, if the copy wrote the first and the last of the
//!   damaged bytes. The block is the one that the copy began in, or one that it ran into.
//!
//! Damage that goes on beyond the last byte that the copy wrote, or begins before its first, has another writer as well
//! and is a finding of its own. So is damage to a block that was allocated after the copy.

use aclsan_log::{BlockId, CallSiteId};

use super::Root;
use super::recent::Recent;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::finding::Finding;
use crate::evidence::rule::Severity;
use crate::rules::{
    copy_overrun, destmax_overstated, freed_write, guard_overrun, guard_underrun, slack_write,
};

/// Overruns that are remembered: damage is mostly found when the block is released.
const MAX_OVERRUNS: usize = 1024;
/// Blocks that one overrun is known to have reached, its own included.
const MAX_REACHED: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Overrun<H> {
    call: CallSiteId,
    written: ByteSpan,
    reached: [Option<BlockId>; MAX_REACHED],
    root: Root<H>,
}

/// The last overruns, by what they wrote.
#[derive(Debug)]
pub(super) struct Overruns<H>(Recent<Overrun<H>, MAX_OVERRUNS>);

impl<H> Default for Overruns<H> {
    fn default() -> Self {
        Self(Recent::default())
    }
}

impl<H: Copy> Overruns<H> {
    pub fn root_of(&self, finding: &Finding) -> Option<Root<H>> {
        let rule = finding.rule.name;
        let (block, _) = finding.block?;
        let mut overruns = self.0.latest_first();
        let found = if rule == destmax_overstated::RULE.name {
            let is_passed = finding.severity == Severity::Error;
            overruns.find(|overrun| {
                let is_same_end = finding.address == Some(overrun.written.address)
                    && overrun.reached[0] == Some(block.id);
                is_passed && overrun.call == finding.here && is_same_end
            })
        } else if is_damage(rule) {
            let damaged = finding.bytes?;
            overruns.find(|overrun| {
                overrun.reached.contains(&Some(block.id)) && overrun.written.covers(&damaged)
            })
        } else {
            None
        };
        found.map(|overrun| overrun.root)
    }

    pub fn remember(&mut self, finding: &Finding, root: Root<H>, reached: &[BlockId]) {
        let Some((block, written)) = finding.overrun() else {
            return;
        };
        let mut all = [Some(block.id), None, None];
        for (place, &other) in all[1..].iter_mut().zip(reached) {
            *place = Some(other);
        }
        let overrun = Overrun {
            call: finding.here,
            written,
            reached: all,
            root,
        };
        // A loop that overruns the same bytes again and again takes one place.
        let is_known = self.0.latest_first().next().is_some_and(|last| {
            (last.call, last.written, last.reached)
                == (overrun.call, overrun.written, overrun.reached)
        });
        if !is_known {
            self.0.push(overrun);
        }
    }

    pub fn refused_at(&mut self, site: CallSiteId) {
        self.0.take(|overrun| overrun.call == site);
    }
}

fn is_damage(rule: &str) -> bool {
    [
        &guard_overrun::RULE,
        &guard_underrun::RULE,
        &slack_write::RULE,
        &freed_write::RULE,
    ]
    .iter()
    .any(|other| other.name == rule)
}

impl Finding {
    /// The block that a `copy-overrun` began in, and all the bytes that it wrote. Hosts look up which other blocks were
    /// allocated there.
    pub fn overrun(&self) -> Option<(&crate::api::block::Block, ByteSpan)> {
        let (block, _) = self.block.as_ref()?;
        (self.rule.name == copy_overrun::RULE.name).then_some((block, self.bytes?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::{AddressInfo, Block};
    use crate::api::profile::Profile;
    use crate::consequences::Consequences;
    use crate::evidence::access::{Access, Shape, Side};
    use crate::evidence::corruption::Corruption;
    use crate::evidence::recent_writers::WriterHints;
    use crate::evidence::testing::*;
    use aclsan_log::record::ByteSample;

    /// A copy of `shape` to the start of a block of 1000 bytes at 0x1000.
    fn overrun(shape: Shape) -> Finding {
        let (call, info) = (
            call("aclrtMemcpy"),
            AddressInfo::Live(device_block(0x1000, 1000), 0),
        );
        let access = Access {
            call: &call,
            side: Side::Written,
            address: 0x1000,
            shape,
            info: &info,
        };
        copy_overrun::check(&access, &Profile::default()).unwrap()
    }

    fn damage(block: &Block, offset: u64, extent: u64) -> Finding {
        let corruption = Corruption {
            block,
            slack: 24,
            offset,
            extent,
            found: &ByteSample::new(b"A"),
            witness: &WriterHints::default(),
        };
        guard_overrun::check(&call("aclrtFree"), &corruption)
            .or_else(|| slack_write::check(&call("aclrtFree"), &corruption))
            .unwrap()
    }

    /// After a copy of `shape` that reached these blocks as well.
    fn after(shape: Shape, reached: &[BlockId]) -> Consequences<u32> {
        let (mut all, root) = (Consequences::default(), overrun(shape));
        assert_eq!(all.root_of(&root), None);
        let of = Root {
            severity: root.severity,
            handle: Some(7),
        };
        all.remember(&root, of, reached);
        all
    }

    fn folds(all: &Consequences<u32>, finding: &Finding) -> bool {
        all.root_of(finding)
            .is_some_and(|root| root.handle == Some(7))
    }

    #[test]
    fn damage_up_to_the_last_byte_written_follows_and_a_byte_more_does_not() {
        let (all, block) = (after(Shape::Run(1100), &[]), device_block(0x1000, 1000));
        assert!(folds(&all, &damage(&block, 1000, 100)));
        assert!(!folds(&all, &damage(&block, 1000, 101)));
        assert!(folds(&all, &damage(&block, 1000, 8))); // in the rounding
    }

    #[test]
    fn damage_in_the_gap_between_rows_does_not_follow() {
        let rows = Shape::Rows {
            pitch: 600,
            width: 500,
            height: 3,
        };
        let (all, block) = (after(rows, &[]), device_block(0x1000, 1000));
        assert!(folds(&all, &damage(&block, 1000, 100)));
        assert!(!folds(&all, &damage(&block, 1000, 101)));
    }

    #[test]
    fn a_block_follows_if_the_copy_ran_into_it_and_not_if_it_came_later() {
        let next = Block {
            id: BlockId(2),
            ..device_block(0x1400, 64)
        };
        let found = damage(&next, 64, 100);
        assert!(folds(&after(Shape::Run(2000), &[next.id]), &found));
        assert!(!folds(&after(Shape::Run(2000), &[]), &found));
    }

    #[test]
    fn the_claim_of_the_same_call_follows_once_the_bytes_pass_the_end() {
        let all = after(Shape::Run(1100), &[]);
        let info = AddressInfo::Live(device_block(0x1000, 1000), 0);
        let claim = |site, written| {
            let call = aclsan_log_call(site);
            destmax_overstated::check(&call, 0x1000, 1100, written, &info).unwrap()
        };
        assert!(folds(&all, &claim(HERE, 1100)));
        assert!(!folds(&all, &claim(HERE, 1000)));
        assert!(!folds(&all, &claim(QUEUED_SITE, 1100)));
    }

    fn aclsan_log_call(site: CallSiteId) -> crate::api::functions::Call {
        crate::api::functions::Call {
            site,
            ..call("aclrtMemcpy")
        }
    }

    #[test]
    fn a_copy_that_the_runtime_refused_wrote_nothing() {
        let (mut all, block) = (after(Shape::Run(1100), &[]), device_block(0x1000, 1000));
        all.refused_at(QUEUED_SITE);
        assert!(folds(&all, &damage(&block, 1000, 100)));
        all.refused_at(HERE);
        assert!(!folds(&all, &damage(&block, 1000, 100)));
    }

    #[test]
    fn what_follows_from_an_ignored_overrun_is_ignored() {
        let (mut all, root) = (Consequences::<u32>::default(), overrun(Shape::Run(1100)));
        let ignored = Root {
            severity: root.severity,
            handle: None,
        };
        all.remember(&root, ignored, &[]);
        let found = damage(&device_block(0x1000, 1000), 1000, 100);
        assert_eq!(all.root_of(&found), Some(ignored));
    }
}
