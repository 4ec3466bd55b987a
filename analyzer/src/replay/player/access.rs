//! Copies, fills and corrupted bytes.

use aclsan_log::record::ByteSample;
use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::block::{AddressInfo, Block, End};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::functions::Role;
use aclsan_rules::evidence::corruption::Corruption;
use aclsan_rules::evidence::recent_writers;
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::evidence::suballocation::Neighbors;
use aclsan_rules::judge;
use aclsan_rules::rules::suballoc_overlap::{self, Because};

use super::Player;
use crate::replay::accounting::guard_overhead::GuardOverhead;

impl Player {
    pub(super) fn copy(&mut self, site: CallSiteId, copy: &judge::Copy, stream: u64) {
        let [to, from] =
            [copy.to, copy.from].map(|address| self.look_up(address, Some(copy.count)));
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy) {
            let (to, from) = (
                self.objects.resolve(copy.to, to),
                self.objects.resolve(copy.from, from),
            );
            let parts = [
                self.objects.part(copy.to, copy.count, to),
                self.objects.part(copy.from, copy.count, from),
            ];
            let findings = judge::copy(&call, copy, &parts[0], &parts[1], &self.profile);
            self.found(findings);
            self.guard_pages
                .queued(&call, stream, &[copy.to, copy.from]);
            self.carve(&call, copy, &to, &from);
            (self.transferred).copied(&call, copy, &to, &from, &self.sites);
            self.ask(|objects, _| objects.touched(&call, &[copy.to, copy.from]));
            self.ask_order(|order, thread, _| {
                order.copy(&call, copy, [&to, &from], stream, thread)
            });
            self.suspect(site, &to);
        }
    }

    pub(super) fn copy_2d(&mut self, site: CallSiteId, copy: &judge::Copy2d, stream: u64) {
        let [to, from] = [copy.to, copy.from].map(|address| self.look_up(address, None));
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy2d) {
            let (to, from) = (
                self.objects.resolve(copy.to, to),
                self.objects.resolve(copy.from, from),
            );
            let parts = [
                (self.objects).part(copy.to, copy.extent(copy.to_pitch), to),
                (self.objects).part(copy.from, copy.extent(copy.from_pitch), from),
            ];
            let findings = judge::copy_2d(&call, copy, &parts[0], &parts[1], &self.profile);
            (self.transferred).copied_2d(&call, copy, &to, &from, &self.sites);
            self.found(findings);
            self.guard_pages
                .queued(&call, stream, &[copy.to, copy.from]);
            self.ask(|objects, _| objects.touched(&call, &[copy.to, copy.from]));
            self.ask_order(|order, thread, _| {
                order.copy_2d(&call, copy, [&to, &from], stream, thread)
            });
            self.suspect(site, &to);
        }
    }

    pub(super) fn set(&mut self, site: CallSiteId, set: &judge::Memset, stream: u64) {
        let to = self.look_up(set.to, Some(set.count));
        self.begin_access(site, stream);
        if let Some(call) = self.sites.call(site, |role| role == Role::Set) {
            let to = self.objects.resolve(set.to, to);
            let part = self.objects.part(set.to, set.count, to);
            let findings = judge::set(&call, set, &part, &self.profile);
            self.found(findings);
            self.guard_pages.queued(&call, stream, &[set.to]);
            self.ask(|objects, _| objects.touched(&call, &[set.to]));
            self.ask_order(|order, thread, _| order.set(&call, set, &to, stream, thread));
            self.suspect(site, &to);
        }
    }

    /// A call may write to `place`: its site becomes a recent writer.
    fn suspect(&mut self, site: CallSiteId, place: &AddressInfo) {
        if let AddressInfo::Live(block, _) = place {
            self.recent_writers.named(block, site);
        }
    }

    pub(super) fn uses(&mut self, site: CallSiteId, used: &judge::RangeUse, stream: u64) {
        // Where the host accesses memory once, other accesses may go unseen.
        let is_sample = |role| role == Role::HostAccess;
        let bytes = match self.sites.call(site, is_sample) {
            Some(_) => None,
            None => Some(used.size),
        };
        let place = self.look_up(used.address, bytes);
        if let Some(call) = self.sites.call(site, |_| true) {
            let place = self.objects.resolve(used.address, place);
            if call.function.role == Role::HostAccess {
                return self.ask_order(|order, _, _| order.host_access(&call, used, &place));
            }
            let part = self.objects.part(used.address, used.size, place);
            let findings = judge::uses(&call, used, &part, &self.profile);
            let is_judged = !findings.is_empty();
            self.found(findings);
            self.guard_pages.queued(&call, stream, &[used.address]);
            if let AddressInfo::Live(block, _) = place
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
    fn carve(&mut self, call: &Call, copy: &judge::Copy, to: &AddressInfo, from: &AddressInfo) {
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
        if let Some(address) = self.annotations.undescribed(tensor.address) {
            self.look_up(address, None);
        }
        let Some((call, [low, high])) = self.operands.destroyed(tensor.address) else {
            return;
        };
        if let AddressInfo::Live(block, _) = self.reach(low.address)
            && block.covers(high.end() - 1)
        {
            let (because, around) = (Because::Operands, Neighbors::none(&block));
            // No interface requires a gap between tensors.
            let found = suballoc_overlap::check(&call, &high, &low, because, &around, None);
            self.found(found.map(|found| found.severity(Severity::Warning)));
        }
    }

    /// Looks up `address`; in a reserved range, the block mapped there.
    fn reach(&self, address: u64) -> AddressInfo {
        self.objects.resolve(address, self.heap.place(address))
    }

    /// A copy or fill: this thread's previous release can no longer be refused.
    pub(super) fn begin_access(&mut self, site: CallSiteId, stream: u64) {
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
        site: CallSiteId,
        (offset, extent): (u64, u64),
        found: &ByteSample,
    ) {
        let place = self.heap.place_of(id);
        let (Some((block, _)), Some(call)) = (place.block(), self.sites.call(site, |_| true))
        else {
            return;
        };
        let (before, behind) = self
            .heap
            .neighbors(block, recent_writers::NEIGHBOR_DISTANCE);
        let damage = Corruption {
            block,
            slack: self.accounting.read().padding(block, &self.sites),
            offset,
            extent,
            found,
            witness: &self.recent_writers.hints(block, before, behind),
        };
        self.guard_pages.damaged(block.address, site);
        let finding = match place {
            AddressInfo::Ended(_, _, End::Released(released)) => {
                judge::freed(&call, &damage, released)
            }
            _ => judge::corruption(&call, &damage),
        };
        self.found(finding);
    }

    /// The block ends before a guard page: `slack` and `guard` bytes are between, and it takes `taken` bytes of pages.
    pub(super) fn guard_page(&mut self, id: BlockId, (slack, guard): (u64, u64), taken: u64) {
        let Some(held) = self.heap.get(id) else {
            return;
        };
        let between = slack.saturating_add(guard);
        self.guard_pages
            .add(&held.block, held.block.size.saturating_add(between));
        let own = held.block.size.saturating_add(slack);
        let overhead = GuardOverhead {
            padding: slack,
            right_redzone: taken.saturating_sub(own),
            left_redzone: 0,
            has_guard_page: true,
        };
        self.accounting.guard(&held, overhead, self.now.0);
    }

    pub(super) fn unwritten(&mut self, id: BlockId, site: CallSiteId, offset: u64, extent: u64) {
        let place = self.heap.place_of(id);
        if let (Some((block, _)), Some(call)) = (place.block(), self.sites.call(site, |_| true)) {
            let finding = judge::unwritten(&call, block, offset, extent);
            self.found(finding);
        }
    }
}

/// The live device block at a place.
fn of_device(place: &AddressInfo) -> Option<&Block> {
    match place {
        AddressInfo::Live(block, _) if !block.family().is_host() => Some(block),
        _ => None,
    }
}
