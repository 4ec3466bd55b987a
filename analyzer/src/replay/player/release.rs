//! Releases, and releases that the runtime refused.

use aclsan_log::{BlockId, CallSiteId, Mapping};
use aclsan_rules::api::block::{AddressInfo, End};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Role;
use aclsan_rules::judge;
use aclsan_rules::trackers::heap::LiveBlock;

use super::Player;

/// The last actions of a thread, to which a refusal may refer.
#[derive(Default)]
pub(super) struct LastAction {
    /// Its last release, until it does something else that can be refused.
    pub(super) released: Option<Released>,
    /// What it queued last, and on which stream.
    pub(super) queued: Option<(CallSiteId, u64)>,
}

/// A thread's last release.
pub(super) struct Released {
    pub(super) site: CallSiteId,
    pub(super) address: u64,
    pub(super) met: ReleaseTarget,
    /// Whether the freed block was an ignored one.
    pub(super) was_ignored: bool,
    /// Whether a rule reported it.
    pub(super) is_judged: bool,
}

/// What a release was applied to.
pub(super) enum ReleaseTarget {
    /// A live block, now freed.
    Ended(BlockId),
    /// Something that it could not free.
    Other(AddressInfo),
}

impl Player {
    pub(super) fn release(&mut self, id: BlockId, site: CallSiteId) {
        let blocks = match self.heap.is_sampled() {
            true => self.heap.get(id).map_or(1, |held| held.blocks()),
            false => 1,
        };
        self.count_release(site, blocks);
        let place = self.heap.place_of(id);
        let Some((block, _)) = place.block() else {
            self.unmatched_releases += 1;
            return;
        };
        self.judge_release(site, block.address, place, Mapping::Unknown, false);
    }

    /// A release freed the block. Returns whether it was an ignored one.
    fn end_of(&mut self, held: &LiveBlock) -> bool {
        self.auto_free.gone(held.block.address);
        let is_plain = self.sites.traits(held.block.site).is_plain;
        let mut was_ignored = false;
        if !is_plain || self.annotations.wants_blocks() {
            was_ignored = self.annotations.released(&held.block, self.now.0);
        }
        self.written.forget(&held.block);
        if !is_plain {
            self.operated(&held.block);
            self.transferred.gone(&held.block);
        }
        self.accounting.on_free(held, self.now.0, true);
        was_ignored
    }

    pub(super) fn release_at(&mut self, site: CallSiteId, address: u64, mapping: Mapping) {
        self.count_release(site, 1);
        let call = self.sites.call(site, |_| true);
        let family = call
            .and_then(|call| call.family())
            .unwrap_or(Family::Device);
        let place = self.heap.place_of_release(family.key(address));
        let mut is_judged = false;
        if let Some(call) = call
            && place == AddressInfo::Unknown
            && address != 0
        {
            is_judged =
                self.ask(|objects, scene| objects.on_unknown_pointer(&call, address, scene));
        }
        let is_judged = self.judge_release(site, address, place, mapping, is_judged);
        let is_unknown =
            place == AddressInfo::Unknown && mapping == Mapping::Unknown && address != 0;
        if is_unknown && !is_judged && !family.is_handle() {
            let unknown = self.unknown.entry(self.sites.canonical(site));
            unknown.or_insert((0, address)).0 += 1;
        }
    }

    /// Counts the call, unless it released something else already. It counts as many times as its block.
    fn count_release(&mut self, site: CallSiteId, blocks: u64) {
        let call = self.sites.call(site, |_| true);
        if !call.is_some_and(|call| call.is_further()) {
            let function = self.sites.function(site);
            self.calls.called_times(function, blocks);
        }
    }

    /// Judges a release, unless it is reported already, then applies it. Returns whether a rule reported it.
    pub(super) fn judge_release(
        &mut self,
        site: CallSiteId,
        address: u64,
        place: AddressInfo,
        mapping: Mapping,
        is_judged: bool,
    ) -> bool {
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Release(_) | Role::Send));
        let is_sent = call.is_some_and(|call| call.function.role == Role::Send);
        let finding = match call {
            Some(_) if is_judged => None,
            Some(call) => judge::release(&call, address, &place, mapping, &self.profile),
            None => {
                self.unknown_functions += 1;
                None
            }
        };
        let mut is_judged = is_judged || finding.is_some();
        self.found(finding);
        match (&call, &place) {
            (Some(call), AddressInfo::Live(block, 0)) => {
                is_judged |= self.ask(|objects, scene| objects.releasing(call, block, scene));
                if !self.is_stopped || !block.family().is_memory() {
                    self.ask_order(|order, thread, _| order.releasing(call, block, thread));
                }
            }
            (Some(call), AddressInfo::Live(..) | AddressInfo::Ended(..)) if !is_judged => {
                is_judged =
                    self.ask(|objects, scene| objects.on_unknown_pointer(call, address, scene));
            }
            _ => {}
        }
        if let AddressInfo::Live(block, 0) = place {
            self.guard_pages.released(block.address, site);
        }
        let ended = match place {
            AddressInfo::Live(block, 0) if is_sent => self.heap.send(block.id, site),
            AddressInfo::Live(block, 0) => self.heap.release(block.id, site),
            AddressInfo::Ended(block, 0, _) => {
                self.dropped.released(block.id);
                None
            }
            _ => None,
        };
        let was_ignored = ended.is_some_and(|held| self.end_of(&held));
        if let Some(held) = ended.filter(|_| self.forgets_released()) {
            self.heap.forget_ended(held.block.id);
        }
        let released = Released {
            site,
            address,
            met: ended.map_or(ReleaseTarget::Other(place), |held| {
                ReleaseTarget::Ended(held.block.id)
            }),
            was_ignored,
            is_judged,
        };
        self.last.of(self.now.1).released = Some(released);
        is_judged
    }

    fn undo_free(&mut self, id: BlockId, was_ignored: bool) {
        if let Some(held) = self.heap.restore(id) {
            self.objects.on_release_failed(&held.block);
            self.objects_follow = self.objects.wants_blocks();
            self.guard_pages.on_release_failed(held.block.address);
            self.annotations.kept(&held.block, was_ignored, self.now.0);
            if self.accounting.undo_free(&held, self.now.0) {
                self.heap.name(id);
            }
        }
    }

    /// Whether a refusal belongs not to this thread's latest call, but to the release at `site` of a block that was in quarantine until
    /// now.
    fn is_late(&self, site: CallSiteId, address: u64) -> bool {
        let last = self.last.get(self.now.1);
        let last = last.and_then(|last| last.released.as_ref());
        let is_last = last.is_some_and(|last| (last.site, last.address) == (site, address));
        let released = matches!(self.heap.place(address), AddressInfo::Ended(_, 0, End::Released(by)) if by == site);
        released && !is_last
    }

    fn refused_late(&mut self, site: CallSiteId, address: u64, status: i32) {
        let AddressInfo::Ended(block, 0, _) = self.heap.place(address) else {
            return;
        };
        self.undo_free(block.id, false);
        if let Some(call) = self.sites.call(site, |_| true) {
            let finding = judge::refused(&call, address, &AddressInfo::Live(block, 0), status);
            self.found(finding);
        }
    }

    /// A copy or fill was refused.
    fn refused_on(&mut self, site: CallSiteId, status: i32) {
        let queued = self.last.of(self.now.1).queued.take();
        let stream = queued.filter(|&(queued, _)| queued == site);
        if let Some(call) = self.sites.call(site, |_| true) {
            let of = stream.map_or(0, |(_, stream)| stream);
            let finding = self.guard_pages.refused(&call, of, status);
            self.found(finding);
            if !self.guard_pages.explains_last_error() {
                self.ask_order(|order, _, scene| order.fault_of_refused(&call, of, status, scene));
            }
        }
        if let (Some((_, stream)), Some(call)) = (stream, self.sites.call(site, |_| true)) {
            let stream = self.heap.place(Family::Stream.key(stream));
            let finding = judge::refused_on(&call, &stream, status);
            self.found(finding);
        }
    }

    pub(super) fn refused(&mut self, site: CallSiteId, address: u64, status: i32) {
        self.calls.refused(&self.sites, site, status, 0);
        if self.is_late(site, address) {
            return self.refused_late(site, address, status);
        }
        self.consequences.refused_at(site);
        self.order.refused(site, self.now.1);
        let Some(last) = self.last.of(self.now.1).released.take() else {
            self.refused_on(site, status); // a copy: the rules have judged its ends already
            return;
        };
        if last.site != site || last.address != address {
            return;
        }
        let mut place = match last.met {
            ReleaseTarget::Ended(id) => self.heap.place_of(id),
            ReleaseTarget::Other(place) => place,
        };
        if let Some((block, _)) = place.block()
            && self.heap.may_be_gone(block)
        {
            return;
        }
        if let Some((block, _)) = place.block() {
            self.consequences.release_refused(block.id);
        }
        if let ReleaseTarget::Ended(id) = last.met {
            self.undo_free(id, last.was_ignored);
            place = self.heap.place_of(id);
        }
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Release(_)));
        if let Some(call) = call
            && !last.is_judged
        {
            let finding = judge::refused(&call, address, &place, status);
            self.found(finding);
        }
    }
}
