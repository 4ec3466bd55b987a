//! Events that feed the statistics of allocation sites.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_render::model::{Cause, Extent, Space};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::functions::Role;

use super::Player;
use crate::replay::accounting::Accounting;
use crate::replay::annotations::SubSites;
use crate::replay::oom::{MAX_CONSUMERS, OUT_OF_MEMORY, RefusedAllocation};
use crate::replay::pages::needed;
use crate::replay::sites::growth::{Sample, Tick};
use crate::replay::totals::Sum;

/// Live bytes of every place: of blocks, and of parts that it took from pools.
pub(super) fn live_by_site(accounting: &mut Accounting, sub_sites: &SubSites) -> Sample {
    accounting.sample(sub_sites.all_bytes())
}

impl Player {
    /// A call used these addresses, or numbers that may be addresses.
    pub(super) fn mark_used(&mut self, addresses: &[u64]) {
        for &address in addresses {
            if !self.accounting.expects_uses() && !self.annotations.has_categories() {
                return;
            }
            self.look_up(address, None);
        }
    }

    /// Returns what is at an address that a call uses, and marks `bytes` from there as used; `None` if the number is not recorded.
    pub(super) fn look_up(&mut self, address: u64, bytes: Option<u64>) -> AddressInfo {
        let place = self.heap.place(address);
        if let AddressInfo::Live(block, _) = &place
            && self.accounting.expects_uses()
            && block.family() == Family::Device
            && self.heap.name(block.id)
        {
            self.accounting.on_first_use();
        }
        if let AddressInfo::Live(block, _) = &place
            && self.annotations.has_categories()
        {
            self.annotations.named(block, address, bytes);
        }
        place
    }

    /// Notes waits, which may be steps of the program, and launches with unknown arguments.
    pub(super) fn watch(&mut self, call: &Call) {
        if call.function.is_wait() {
            self.tick(Tick::Wait);
        }
        self.is_opaque |= call.function.is_opaque();
    }

    /// A named step or an outermost range has ended.
    pub(super) fn tick(&mut self, tick: Tick) {
        let sub_sites = self.annotations.sub_sites();
        self.growth
            .tick(tick, || live_by_site(&mut self.accounting, sub_sites));
    }

    pub(super) fn slow(&mut self, id: BlockId, ns: u64) {
        if let Some(held) = self.heap.get(id) {
            self.accounting.slow(&held, self.now.0, ns);
        }
    }

    pub(super) fn on_mem_info(&mut self, site: CallSiteId, free: u64, total: u64) {
        if let Some(call) = self.sites.call(site, |role| role == Role::MemoryInfo) {
            let device = self.sites.device(site);
            let oom = &mut self.accounting.read().oom;
            oom.on_mem_info(device, call.argument, (free, total), self.now.0);
        }
    }

    /// Whether the shim asked the runtime itself: no call of the program's.
    pub(super) fn is_our_query(&self, site: CallSiteId) -> bool {
        let call = self.sites.call(site, |role| role == Role::MemoryInfo);
        call.is_some_and(|call| call.function.name == "aclsan_memory")
    }

    pub(super) fn out_of_memory(&mut self, site: CallSiteId, size: u64, status: i32) {
        let is_device = |role| matches!(role, Role::Allocate(family) if family.is_memory() && !family.is_host());
        let Some(call) = self.sites.call(site, is_device) else {
            return;
        };
        let (sites, same) = (&self.sites, self.sites.canonical(site));
        let is_same = |known: &Call| sites.canonical(known.site) == same;
        if !OUT_OF_MEMORY.contains(&status) || !self.accounting.read().oom.is_new(is_same) {
            return;
        }
        let block = Block {
            id: BlockId(u64::MAX),
            address: 0,
            size,
            function: call.function,
            site,
            device: call.device,
        };
        let extent = Extent::of(&block, call.argument, 0, &self.profile);
        let on_device = self.heap.live().filter(|held| {
            held.block.device == call.device && held.block.family().is_dropped_by_reset()
        });
        let mut by_site = std::collections::BTreeMap::<CallSiteId, Sum>::new();
        for held in on_device {
            let place = self.sites.canonical(held.block.site);
            by_site.entry(place).or_default().add(&held);
        }
        let live = by_site.values().map(|sum| sum.bytes);
        let live = live.fold(0, u64::saturating_add);
        let mut consumers: Vec<(CallSiteId, Sum)> = by_site.into_iter().collect();
        consumers.sort_by_key(|(site, sum)| (std::cmp::Reverse(sum.bytes), *site));
        consumers.truncate(MAX_CONSUMERS);
        let page = extent.as_ref().map(|extent| extent.page);
        let (space, pinners) = match page {
            Some(page) => {
                let class = (call.device, page);
                (self.accounting.read()).holes(self.heap.live(), class, &self.sites)
            }
            None => (Space::of(Vec::new()), Vec::new()),
        };
        let oom = &mut self.accounting.read().oom;
        let device = oom.device(call.device);
        oom.refused(RefusedAllocation {
            call,
            thread: self.now.1,
            ns: self.now.0,
            count: 1,
            size,
            status,
            page,
            needed: extent.map_or(size, |extent| needed(extent.page, extent.rounded)),
            device,
            live,
            space,
            pinners,
            consumers,
            mem_info: None,
            cause: Cause::Unknown,
        });
    }
}
