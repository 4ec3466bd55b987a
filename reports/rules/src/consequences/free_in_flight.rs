//! What follows from a `free-in-flight`: the release was too early.
//!
//! * `copy-use-after-free` of that block, as long as it is that release that ended it.
//! * `freed-write` of that block, if the queued work that the release did not wait for may have written the damaged
//!   bytes: the first and the last one are in its range.
//!
//! Another block is another mistake, and so is damage that the queued work cannot have made.

use aclsan_log::{BlockId, CallSiteId};

use super::Root;
use super::recent::Recent;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::finding::{Earlier, Finding};
use crate::rules::{copy_use_after_free, free_in_flight, freed_write};

/// Releases that are remembered.
const MAX_RELEASES: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Release<H> {
    block: BlockId,
    site: CallSiteId,
    in_use: Option<ByteSpan>,
    root: Root<H>,
}

/// The last releases in flight.
#[derive(Debug)]
pub(super) struct ReleasesInFlight<H>(Recent<Release<H>, MAX_RELEASES>);

impl<H> Default for ReleasesInFlight<H> {
    fn default() -> Self {
        Self(Recent::default())
    }
}

impl<H: Copy> ReleasesInFlight<H> {
    pub fn root_of(&self, finding: &Finding) -> Option<Root<H>> {
        let rule = finding.rule.name;
        let is_damage = rule == freed_write::RULE.name;
        if !is_damage && rule != copy_use_after_free::RULE.name {
            return None;
        }
        let (block, _) = finding.block?;
        let released = finding.earlier.iter();
        let (_, site) = released
            .into_iter()
            .find(|(what, _)| *what == Earlier::Released)?;
        let release = self.0.latest_first().find(|release| {
            (release.block, release.site) == (block.id, *site)
                && (!is_damage || may_have_written(release.in_use, finding.bytes))
        })?;
        Some(release.root)
    }

    pub fn remember(&mut self, finding: &Finding, root: Root<H>) {
        if let Some((block, _)) = finding.block
            && finding.rule.name == free_in_flight::RULE.name
        {
            self.0.push(Release {
                block: block.id,
                site: finding.here,
                in_use: finding.bytes,
                root,
            });
        }
    }
}

fn may_have_written(in_use: Option<ByteSpan>, damaged: Option<ByteSpan>) -> bool {
    matches!((in_use, damaged), (Some(in_use), Some(damaged)) if in_use.covers(&damaged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::{AddressInfo, Block, End};
    use crate::api::profile::Profile;
    use crate::consequences::Consequences;
    use crate::evidence::access::{Access, Shape, Side};
    use crate::evidence::corruption::Corruption;
    use crate::evidence::race::{Race, TimelineKind};
    use crate::evidence::recent_writers::WriterHints;
    use crate::evidence::testing::*;
    use aclsan_log::record::ByteSample;

    /// After a release at [`HERE`] of 64 bytes at 0x1000, while 16 of them were written.
    fn after() -> Consequences<u32> {
        let block = device_block(0x1000, 64);
        let copy = ("aclrtMemcpyAsync", TimelineKind::Stream(1));
        let race = Race {
            bytes: Some(ByteSpan::run(0x1000, 16)),
            ..race(&block, copy, ("aclrtFree", TimelineKind::Host))
        };
        let finding = free_in_flight::check(&race);
        let root = Root {
            severity: finding.severity,
            handle: Some(7),
        };
        let mut all = Consequences::default();
        all.remember(&finding, root, &[]);
        all
    }

    fn use_of(block: Block, released: CallSiteId) -> Finding {
        let call = call("aclrtMemcpy");
        let access = Access {
            call: &call,
            side: Side::Read,
            address: 0x1000,
            shape: Shape::Run(8),
            info: &AddressInfo::Ended(block, 0, End::Released(released)),
        };
        copy_use_after_free::check(&access, &Profile::default()).unwrap()
    }

    fn damage(extent: u64) -> Finding {
        let block = device_block(0x1000, 64);
        let corruption = Corruption {
            block: &block,
            slack: 0,
            offset: 0,
            extent,
            found: &ByteSample::new(b"A"),
            witness: &WriterHints::default(),
        };
        freed_write::check(&call("aclFinalize"), &corruption, HERE).unwrap()
    }

    #[test]
    fn uses_of_the_block_follow_and_those_of_another_do_not() {
        let (all, block) = (after(), device_block(0x1000, 64));
        assert_eq!(all.root_of(&use_of(block, HERE)).unwrap().handle, Some(7));
        let other = Block {
            id: BlockId(2),
            ..block
        };
        assert_eq!(all.root_of(&use_of(other, HERE)), None);
        assert_eq!(all.root_of(&use_of(block, RELEASE_SITE)), None);
    }

    #[test]
    fn damage_follows_if_the_queued_work_may_have_made_all_of_it() {
        let all = after();
        assert!(all.root_of(&damage(16)).is_some());
        assert_eq!(all.root_of(&damage(17)), None);
    }
}
