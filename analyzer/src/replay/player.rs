//! One event at a time: keeps the heap, asks the rules.

use std::collections::{BTreeMap, HashMap};

use aclsan_log::merge::Timed;
use aclsan_log::record::Found;
use aclsan_log::{BlockId, Event, Log, Mapping, SiteId};
use aclsan_rules::functions::Role;
use aclsan_rules::heap::Heap;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Block, Finding, Place, judge};

use super::calls::Calls;
use super::ends::{Dropped, group};
use super::folding::Folding;
use super::sites::Sites;
use super::usage::Usage;
use super::{Replay, Severity, Sum};

/// Replay under way.
pub struct Player {
    profile: Profile,
    sites: Sites,
    heap: Heap,
    findings: Folding,
    usage: Usage,
    calls: Calls,
    dropped: Dropped,
    /// What each thread released last: a refusal is about that.
    released: HashMap<u32, Released>,
    unknown: BTreeMap<SiteId, (u64, u64)>,
    told: BTreeMap<i32, (u64, u64)>,
    is_complete: bool,
    lost_events: u64,
    unknown_functions: u64,
    unmatched_releases: u64,
    unseen_releases: u64,
    /// Time and thread of the event in hand.
    now: (u64, u32),
}

struct Released {
    site: SiteId,
    address: u64,
    place: Place,
    /// The block that it ended.
    ended: Option<BlockId>,
    /// Whether a rule had something to say.
    is_judged: bool,
}

impl Player {
    /// Before the first event.
    pub fn new(log: &Log, profile: Profile) -> Self {
        let (sites, names) = Sites::new(log);
        let usage = Usage::new(profile, sites.len());
        Self {
            profile,
            sites,
            heap: Heap::default(),
            findings: Folding::default(),
            usage,
            calls: Calls::new(names),
            dropped: Dropped::default(),
            released: HashMap::new(),
            unknown: BTreeMap::new(),
            told: BTreeMap::new(),
            is_complete: false,
            lost_events: 0,
            unknown_functions: 0,
            unmatched_releases: 0,
            unseen_releases: 0,
            now: (0, 0),
        }
    }

    /// Takes the next event.
    pub fn play(&mut self, timed: &Timed) {
        self.now = (timed.ns.max(self.now.0), timed.tid);
        match timed.event {
            Event::Thread { .. } => {}
            Event::Allocation {
                block,
                site,
                address,
                size,
            } => self.allocation(block, site, address, size),
            Event::AllocationFailed { site, size, status } => {
                self.calls.called(&self.sites, site);
                self.calls.refused(&self.sites, site, status, size);
            }
            Event::Release { block, site } => self.release(block, site),
            Event::ReleaseAt {
                site,
                address,
                mapping,
            } => self.release_at(site, address, mapping),
            Event::Refused {
                site,
                address,
                status,
            } => self.refused(site, address, status),
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                ..
            } => {
                let copy = judge::Copy {
                    to,
                    room,
                    from,
                    count,
                };
                self.copy(site, &copy);
            }
            Event::Copy2d {
                site,
                to,
                to_pitch,
                from,
                from_pitch,
                width,
                height,
                ..
            } => {
                let copy = judge::Copy2d {
                    to,
                    to_pitch,
                    from,
                    from_pitch,
                    width,
                    height,
                };
                self.copy_2d(site, &copy);
            }
            Event::Set {
                site,
                to,
                room,
                count,
                ..
            } => {
                let set = judge::Set {
                    to,
                    room,
                    count,
                    mapping: Mapping::Unknown,
                };
                self.set(site, &set);
            }
            Event::Call {
                site,
                first,
                status,
                ..
            } => self.call(site, first, status),
            Event::Memory { site, free, total } => {
                self.calls.called(&self.sites, site);
                let told = self
                    .told
                    .entry(self.sites.device(site))
                    .or_insert((free, total));
                *told = (told.0.min(free), total);
            }
            Event::Guard {
                block,
                slack,
                guard,
            } => {
                if let Some(held) = self.heap.get(block) {
                    let bytes = (u64::from(slack), u64::from(guard));
                    self.usage.guard(held, bytes, &self.sites, self.now.0);
                }
            }
            Event::Damage {
                block,
                site,
                offset,
                extent,
                found,
            } => self.damage(block, site, (offset, extent), &found),
            Event::Dropped { count } => self.lost_events = self.lost_events.saturating_add(count),
            Event::Exit => self.is_complete = true,
        }
    }

    fn allocation(&mut self, id: BlockId, site: SiteId, address: u64, size: u64) {
        self.calls.called(&self.sites, site);
        let call = self
            .sites
            .call(site, |role| matches!(role, Role::Allocate(_)));
        let Some(call) = call else {
            self.unknown_functions += 1;
            return;
        };
        let block = Block {
            id,
            address,
            size,
            function: call.function,
            site,
            device: call.device,
        };
        let (ns, tid) = self.now;
        for stale in self.heap.allocate(block, ns, tid) {
            self.unseen_releases += 1;
            self.usage.depart(&stale, &self.sites, ns, false);
        }
        if let Some(held) = self.heap.get(id) {
            self.usage.arrive(held, &self.sites, ns);
        }
        let finding = judge::allocation(&block, &self.profile);
        self.found(finding);
    }

    fn release(&mut self, id: BlockId, site: SiteId) {
        self.calls.called(&self.sites, site);
        let place = self.heap.place_of(id);
        let Some((block, _)) = place.block() else {
            self.unmatched_releases += 1;
            return;
        };
        self.judge_release(site, block.address, place, Mapping::Unknown);
    }

    fn release_at(&mut self, site: SiteId, address: u64, mapping: Mapping) {
        self.calls.called(&self.sites, site);
        let place = self.heap.place(address);
        let is_judged = self.judge_release(site, address, place, mapping);
        if place == Place::Unknown && mapping == Mapping::Unknown && address != 0 && !is_judged {
            let unknown = self.unknown.entry(self.sites.same(site));
            unknown.or_insert((0, address)).0 += 1;
        }
    }

    /// Judges a release, then lets it take effect. Whether a rule had something to say.
    fn judge_release(
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

    fn refused(&mut self, site: SiteId, address: u64, status: i32) {
        self.calls.refused(&self.sites, site, status, 0);
        let Some(last) = self.released.remove(&self.now.1) else {
            return; // a copy: the rules have heard of it already
        };
        if last.site != site || last.address != address {
            return;
        }
        if let Some(held) = last.ended.and_then(|id| self.heap.restore(id)) {
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

    fn copy(&mut self, site: SiteId, copy: &judge::Copy) {
        self.begin_access(site);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy) {
            let (to, from) = (self.heap.place(copy.to), self.heap.place(copy.from));
            let findings = judge::copy(&call, copy, &to, &from, &self.profile);
            self.found(findings);
        }
    }

    fn copy_2d(&mut self, site: SiteId, copy: &judge::Copy2d) {
        self.begin_access(site);
        if let Some(call) = self.sites.call(site, |role| role == Role::Copy2d) {
            let (to, from) = (self.heap.place(copy.to), self.heap.place(copy.from));
            let findings = judge::copy_2d(&call, copy, &to, &from, &self.profile);
            self.found(findings);
        }
    }

    fn set(&mut self, site: SiteId, set: &judge::Set) {
        self.begin_access(site);
        if let Some(call) = self.sites.call(site, |role| role == Role::Set) {
            let to = self.heap.place(set.to);
            let findings = judge::set(&call, set, &to, &self.profile);
            self.found(findings);
        }
    }

    /// A copy or fill: what this thread released before can't be refused any more.
    fn begin_access(&mut self, site: SiteId) {
        self.calls.called(&self.sites, site);
        self.released.remove(&self.now.1);
    }

    fn call(&mut self, site: SiteId, first: u64, status: i32) {
        self.calls.called(&self.sites, site);
        if status != 0 {
            self.calls.refused(&self.sites, site, status, 0);
            return;
        }
        let Some(call) = self.sites.call(site, |_| true) else {
            self.unknown_functions += 1;
            return;
        };
        let device = first as u32 as i32;
        match call.function.role {
            Role::SetDevice => self.set_device(device, site),
            Role::ResetDevice => {
                let dropped = self.heap.reset_device(device, site);
                self.reset(&dropped, site);
            }
            Role::ResetDeviceForce => {
                let dropped = self.heap.reset_device_force(device, site);
                self.reset(&dropped, site);
            }
            Role::Finalize => self.is_complete = true,
            _ => {}
        }
    }

    fn set_device(&mut self, device: i32, site: SiteId) {
        self.heap.set_device(device);
        let (ns, tid) = self.now;
        for group in self.dropped.take(device, &self.sites) {
            let reset = group.reset.map_or(SiteId(0), |(site, _)| site);
            if let Some(finding) = judge::set_again(&group.first.block, reset, site) {
                self.findings
                    .add(&self.sites, finding, group.blocks, ns, tid);
            }
        }
    }

    fn reset(&mut self, dropped: &[aclsan_rules::heap::Held], site: SiteId) {
        let ns = self.now.0;
        for held in dropped {
            self.usage.depart(held, &self.sites, ns, false);
        }
        self.dropped.add(dropped, site, ns);
    }

    fn damage(&mut self, id: BlockId, site: SiteId, (offset, extent): (u64, u64), found: &Found) {
        let place = self.heap.place_of(id);
        let (Some((block, _)), Some(call)) = (place.block(), self.sites.call(site, |_| true))
        else {
            return;
        };
        let slack = self.usage.slack(block, &self.sites);
        let finding = judge::damage(&call, block, slack, offset, extent, found);
        self.found(finding);
    }

    fn found(&mut self, findings: impl IntoIterator<Item = Finding>) {
        let (ns, tid) = self.now;
        for finding in findings {
            self.findings.add(&self.sites, finding, 1, ns, tid);
        }
    }

    /// After the last event. `is_damaged` says that parts of the log were lost, and releases with them, maybe.
    pub fn finish(mut self, is_damaged: bool) -> Replay {
        let mut live: Vec<_> = self.heap.live().copied().collect();
        live.sort_unstable_by_key(|held| held.order);
        let mut groups = self.dropped.take_all(&self.sites);
        groups.extend(group(live.iter().map(|held| (*held, None)), &self.sites));

        let is_certain = self.is_complete && !is_damaged && self.lost_events == 0;
        let mut findings = self.findings.finish();
        let mut leaks = Vec::new();
        for group in groups {
            let reset = group.reset.map(|(site, _)| site);
            let finding = judge::leak(&group.first.block, group.blocks, group.bytes, reset);
            let at = finding.map(|finding| {
                let mut apart = Folding::default();
                let finding = match is_certain {
                    true => finding,
                    false => doubt(finding, self.is_complete),
                };
                apart.add_apart(finding, 1, self.now.0, group.first.thread);
                findings.extend(apart.finish());
                findings.len() - 1
            });
            leaks.push((group, at));
        }

        let usage = &self.usage;
        let mut live_by_site: BTreeMap<SiteId, Sum> = BTreeMap::new();
        for held in &live {
            let site = self.sites.same(held.block.site);
            live_by_site.entry(site).or_default().add(held.block.size);
        }
        let mut at_peak: BTreeMap<SiteId, Sum> = BTreeMap::new();
        for (site, bytes) in usage.at_peak(&live, &self.sites) {
            at_peak.entry(site).or_default().add(bytes);
        }
        let devices = usage.devices.iter();
        Replay {
            findings,
            leaks,
            unknown: self.unknown,
            calls: self.calls,
            families: usage.families,
            devices: devices
                .map(|(&device, peak)| (device, (peak.live(), peak.highest(), peak.at_ns())))
                .collect(),
            told: self.told,
            layouts: usage.layouts(&live, &self.sites),
            points: usage.points(),
            allocated: self.usage.allocated.clone(),
            live: live_by_site,
            at_peak,
            events: 0,
            duration_ns: self.now.0,
            is_complete: self.is_complete,
            dropped: self.lost_events,
            damage: Vec::new(),
            unknown_records: 0,
            unknown_functions: self.unknown_functions,
            unmatched_releases: self.unmatched_releases,
            unseen_releases: self.unseen_releases,
            guards: (usage.guarded, usage.guard_bytes, usage.moved),
        }
    }
}

/// A leak that the log does not prove: the process may have gone on, or a release may be missing.
fn doubt(finding: Finding, is_complete: bool) -> Finding {
    let why = match is_complete {
        true => "parts of the log are missing, and releases with them, maybe",
        false => "the log ends before the process did: it was killed, or still runs",
    };
    let severity = finding.severity.min(Severity::Warning);
    finding.severity(severity).detail(why)
}
