//! Copies, fills and corrupted bytes.

use aclsan_log::record::Found;
use aclsan_log::{BlockId, SiteId};
use aclsan_rules::damage::Damage;
use aclsan_rules::functions::Role;
use aclsan_rules::rules::suballoc_overlap::{self, Because};
use aclsan_rules::rules::suballoc_too_small::Neighbours;
use aclsan_rules::{Block, Call, End, Family, Place, Severity, judge, suspects};

use super::Player;
use crate::replay::accounting::guard_overhead::GuardOverhead;

impl Player {
    pub(super) fn copy(&mut self, site: SiteId, copy: &judge::Copy, stream: u64) {
        let [to, from] = [copy.to, copy.from].map(|address| self.look_up(address));
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy) {
            let (to, from) = (
                self.ledger.reach(copy.to, to),
                self.ledger.reach(copy.from, from),
            );
            let findings = judge::copy(&call, copy, &to, &from, &self.profile);
            self.found(findings);
            self.fences.queued(&call, stream, &[copy.to, copy.from]);
            self.carve(&call, copy, &to, &from);
            (self.transferred).copied(&call, copy, &to, &from, &self.sites);
            self.ask(|ledger, _| ledger.touched(&call, &[copy.to, copy.from]));
            self.ask_order(|order, thread, _| {
                order.copy(&call, copy, [&to, &from], stream, thread)
            });
            self.suspect(site, &to);
        }
    }

    pub(super) fn copy_2d(&mut self, site: SiteId, copy: &judge::Copy2d, stream: u64) {
        let [to, from] = [copy.to, copy.from].map(|address| self.look_up(address));
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy2d) {
            let (to, from) = (
                self.ledger.reach(copy.to, to),
                self.ledger.reach(copy.from, from),
            );
            let findings = judge::copy_2d(&call, copy, &to, &from, &self.profile);
            (self.transferred).copied_2d(&call, copy, &to, &from, &self.sites);
            self.found(findings);
            self.fences.queued(&call, stream, &[copy.to, copy.from]);
            self.ask(|ledger, _| ledger.touched(&call, &[copy.to, copy.from]));
            self.ask_order(|order, thread, _| {
                order.copy_2d(&call, copy, [&to, &from], stream, thread)
            });
            self.suspect(site, &to);
        }
    }

    pub(super) fn set(&mut self, site: SiteId, set: &judge::Set, stream: u64) {
        let to = self.look_up(set.to);
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Set) {
            let to = self.ledger.reach(set.to, to);
            let findings = judge::set(&call, set, &to, &self.profile);
            self.found(findings);
            self.fences.queued(&call, stream, &[set.to]);
            self.ask(|ledger, _| ledger.touched(&call, &[set.to]));
            self.ask_order(|order, thread, _| order.set(&call, set, &to, stream, thread));
            self.suspect(site, &to);
        }
    }

    /// A call may write to `place`: its site becomes a recent writer.
    fn suspect(&mut self, site: SiteId, place: &Place) {
        if let Place::Live(block, _) = place {
            self.suspects.named(block, site);
        }
    }

    pub(super) fn uses(&mut self, site: SiteId, used: &judge::Use, stream: u64) {
        let place = self.look_up(used.address);
        if let Some(call) = self.sites.call(site, |_| true) {
            let place = self.ledger.reach(used.address, place);
            let findings = judge::uses(&call, used, &place, &self.profile);
            let is_judged = !findings.is_empty();
            self.found(findings);
            self.fences.queued(&call, stream, &[used.address]);
            if let Place::Live(block, _) = place
                && !is_judged
            {
                let duty = self.sites.duty(&block, &self.profile);
                let thread = self.now.1;
                let found = (self.written).uses(&call, used, thread, &block, duty.as_ref());
                self.found(found);
            }
            self.ask_order(|order, thread, _| {
                order.uses(&call, used, &place, stream, thread);
                None
            });
            self.suspect(site, &place);
        }
    }

    /// A copy may read what was written as a sub-block, or overwrite it.
    fn carve(&mut self, call: &Call, copy: &judge::Copy, to: &Place, from: &Place) {
        let (sites, profile) = (&self.sites, &self.profile);
        let found = self.written.copied(
            call,
            copy.count,
            (copy.to, of_device(to)),
            (copy.from, of_device(from)),
            |block| sites.duty(block, profile),
        );
        self.found(found);
    }

    /// If a tensor was destroyed, it is certain now which operator used it.
    pub(super) fn operated(&mut self, tensor: &Block) {
        if tensor.family() != Family::Tensor {
            return;
        }
        let Some((call, [low, high])) = self.operands.destroyed(tensor.address) else {
            return;
        };
        if let Place::Live(block, _) = self.reach(low.address)
            && block.covers(high.end() - 1)
        {
            let (because, around) = (Because::Operands, Neighbours::none(&block));
            // No interface requires a gap between tensors.
            let found = suballoc_overlap::check(&call, &high, &low, because, &around, None);
            self.found(found.map(|found| found.severity(Severity::Warning)));
        }
    }

    /// What is at `address`; in a reserved range, what is mapped there.
    fn reach(&self, address: u64) -> Place {
        self.ledger.reach(address, self.heap.place(address))
    }

    /// A copy or fill: this thread's previous release can no longer be refused.
    pub(super) fn begin_access(&mut self, site: SiteId, stream: u64) {
        self.calls.called(&self.sites, site);
        let last = self.last.of(self.now.1);
        last.released = None;
        if stream != 0 {
            last.queued = Some((site, stream));
        }
    }

    pub(super) fn damage(
        &mut self,
        id: BlockId,
        site: SiteId,
        (offset, extent): (u64, u64),
        found: &Found,
    ) {
        let place = self.heap.place_of(id);
        let (Some((block, _)), Some(call)) = (place.block(), self.sites.call(site, |_| true))
        else {
            return;
        };
        let (before, behind) = self.heap.neighbours(block, suspects::NEAR);
        let damage = Damage {
            block,
            slack: self.accounting.read().padding(block, &self.sites),
            offset,
            extent,
            found,
            witness: &self.suspects.witness(block, before, behind),
        };
        self.fences.damaged(block.address, site);
        let finding = match place {
            Place::Ended(_, _, End::Released(released)) => judge::freed(&call, &damage, released),
            _ => judge::damage(&call, &damage),
        };
        self.found(finding);
    }

    /// The block ends before a guard page: `slack` and `guard` bytes are between, and it takes `taken` bytes of pages.
    pub(super) fn fence(&mut self, id: BlockId, (slack, guard): (u64, u64), taken: u64) {
        let Some(held) = self.heap.get(id) else {
            return;
        };
        let between = slack.saturating_add(guard);
        self.fences
            .fenced(&held.block, held.block.size.saturating_add(between));
        let own = held.block.size.saturating_add(slack);
        let overhead = GuardOverhead {
            padding: slack,
            right_redzone: taken.saturating_sub(own),
            left_redzone: 0,
            has_guard_page: true,
        };
        self.accounting.guard(&held, overhead, self.now.0);
    }

    pub(super) fn unwritten(&mut self, id: BlockId, site: SiteId, offset: u64, extent: u64) {
        let place = self.heap.place_of(id);
        if let (Some((block, _)), Some(call)) = (place.block(), self.sites.call(site, |_| true)) {
            let finding = judge::unwritten(&call, block, offset, extent);
            self.found(finding);
        }
    }
}

/// The live device block at a place.
fn of_device(place: &Place) -> Option<&Block> {
    match place {
        Place::Live(block, _) if !block.family().is_host() => Some(block),
        _ => None,
    }
}
