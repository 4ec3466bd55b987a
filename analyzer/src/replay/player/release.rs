//! Releases, and those that the runtime refused.

use aclsan_log::{BlockId, Mapping, SiteId};
use aclsan_rules::functions::Role;
use aclsan_rules::{Family, Place, judge};

use super::Player;

/// A thread's last release, until it does something that can be refused.
pub(super) struct Released {
    site: SiteId,
    address: u64,
    place: Place,
    /// The block that it ended.
    ended: Option<BlockId>,
    /// Whether a rule had something to say.
    is_judged: bool,
}

impl Player {
    pub(super) fn release(&mut self, id: BlockId, site: SiteId) {
        self.count_release(site);
        let place = self.heap.place_of(id);
        let Some((block, _)) = place.block() else {
            self.unmatched_releases += 1;
            return;
        };
        self.judge_release(site, block.address, place, Mapping::Unknown);
    }

    pub(super) fn release_at(&mut self, site: SiteId, address: u64, mapping: Mapping) {
        self.count_release(site);
        let call = self.sites.call(site, |_| true);
        let family = call
            .and_then(|call| call.family())
            .unwrap_or(Family::Device);
        let place = self.heap.place(family.key(address));
        let is_judged = self.judge_release(site, address, place, mapping);
        let is_unknown = place == Place::Unknown && mapping == Mapping::Unknown && address != 0;
        if is_unknown && !is_judged && !family.is_handle() {
            let unknown = self.unknown.entry(self.sites.same(site));
            unknown.or_insert((0, address)).0 += 1;
        }
    }

    /// One more call, unless it released something else already.
    fn count_release(&mut self, site: SiteId) {
        let call = self.sites.call(site, |_| true);
        if !call.is_some_and(|call| call.is_further()) {
            self.calls.called(&self.sites, site);
        }
    }

    /// Judges a release, then lets it take effect. Whether a rule had something to say.
    pub(super) fn judge_release(
        &mut self,
        site: SiteId,
        address: u64,
        place: Place,
        mapping: Mapping,
    ) -> bool {
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Release(_)));
        let finding = match call {
            Some(call) => judge::release(&call, address, &place, mapping, &self.profile),
            None => {
                self.unknown_functions += 1;
                None
            }
        };
        let is_judged = finding.is_some();
        self.found(finding);
        let mut is_judged = is_judged;
        if let (Some(call), Place::Live(block, 0)) = (&call, &place) {
            is_judged |= self.ask(|ledger, scene| ledger.releasing(call, block, scene));
        }
        let ended = match place {
            Place::Live(block, 0) => self.heap.release(block.id, site),
            Place::Ended(block, 0, _) => {
                self.dropped.released(block.id);
                None
            }
            _ => None,
        };
        if let Some(held) = &ended {
            self.usage.depart(held, &self.sites, self.now.0, true);
        }
        let released = Released {
            site,
            address,
            place,
            ended: ended.map(|held| held.block.id),
            is_judged,
        };
        self.released.insert(self.now.1, released);
        is_judged
    }

    pub(super) fn refused(&mut self, site: SiteId, address: u64, status: i32) {
        self.calls.refused(&self.sites, site, status, 0);
        let Some(last) = self.released.remove(&self.now.1) else {
            return; // a copy: the rules have heard of it already
        };
        if last.site != site || last.address != address {
            return;
        }
        if let Some(held) = last.ended.and_then(|id| self.heap.restore(id)) {
            self.ledger.kept(&held.block);
            self.usage.come_back(&held, &self.sites, self.now.0);
        }
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Release(_)));
        if let Some(call) = call
            && !last.is_judged
        {
            let finding = judge::refused(&call, address, &last.place, status);
            self.found(finding);
        }
    }
}
