//! Who had how many bytes, and when: by family, device, page class and site.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_render::model::{Extent, LINES, Peak};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::trackers::heap::LiveBlock;

use super::guard_overhead::GuardOverhead;
use super::highest::Highest;
use super::page_classes::Classes;
use super::spreads::Spreads;
use super::timelines::Timelines;
use crate::replay::counted::Counted;
use crate::replay::oom::OomTracker;
use crate::replay::oom::fit::FitTracker;
use crate::replay::pages::taken;
use crate::replay::sites::last_key_map::LastKeyMap;
use crate::replay::sites::stats::{Footprint, StatsBySite};
use crate::replay::sites::{SiteTraits, Sites};
use crate::replay::totals::{FamilyTotals, Saturating};

/// Site, weighted number of blocks and weighted bytes of a block.
type Share = (CallSiteId, u64, u64);

/// The accounting itself.
pub struct Usage {
    /// By `Family::MEMORY`'s order.
    pub families: [FamilyTotals; LINES],
    /// By device: live bytes of all families, their peak, and when.
    pub devices: LastKeyMap<i32, Highest>,
    pub(super) classes: Classes,
    /// Device memory of the process by site.
    pub(super) whole: Peak<Share>,
    /// Live bytes over time.
    pub timelines: Timelines,
    /// Redzones of live blocks.
    guards: FastMap<BlockId, GuardOverhead>,
    /// Blocks that ever had redzones.
    pub guarded: u64,
    /// Bytes of all redzones.
    pub guard_bytes: u64,
    /// Blocks that redzones moved to another page class.
    pub moved: u64,
    /// Blocks whose pattern fits the alignment padding alone.
    pub in_padding: u64,
    /// Page bytes that only redzones need.
    pub guard_pages: u64,
    /// Blocks before a guard page.
    pub with_guard_page: u64,
    /// Statistics by allocation site.
    pub site_stats: StatsBySite,
    /// Refused allocations.
    pub oom: OomTracker,
    /// Holes over time, if requested.
    pub fit: Option<FitTracker>,
    /// How far sums may be off, if only a sample of the blocks is recorded.
    pub spreads: Option<Spreads>,
}

impl Usage {
    /// Empty accounting for a log with `sites` sites.
    pub fn new(sites: usize) -> Self {
        Self {
            families: Default::default(),
            devices: LastKeyMap::default(),
            classes: Classes::default(),
            whole: Peak::default(),
            timelines: Timelines::default(),
            guards: FastMap::default(),
            guarded: 0,
            guard_bytes: 0,
            moved: 0,
            in_padding: 0,
            guard_pages: 0,
            with_guard_page: 0,
            site_stats: StatsBySite::new(sites),
            oom: OomTracker::default(),
            fit: None,
            spreads: None,
        }
    }

    /// A block was allocated.
    #[inline(never)]
    pub fn on_alloc(&mut self, held: &Counted, sites: &Sites, ns: u64) {
        let traits = sites.traits(held.site);
        let Some(line) = traits.line.map(usize::from) else {
            return;
        };
        let family = &mut self.families[line];
        family.allocations += held.blocks;
        family.allocated = family.allocated.saturating_add(held.bytes);
        self.rise(line, held, ns, traits);
        let (extent, bare) = self.extents(held, traits);
        self.site_stats
            .on_alloc::<Saturating>(traits, held, bare, ns, || sites.live_block(held));
        self.took(held, traits, extent.as_ref(), held.bytes);
        if let Some(extent) = extent {
            if let Some(fit) = &mut self.fit {
                fit.on_alloc(traits.device, &extent, ns);
            }
            let class = self.classes.of(traits.device, extent.page);
            class.requests.add(held.size);
            class.peak.arrive(held.order, held.size, ns);
        }
        if traits.is_of_device {
            self.devices.of(traits.device).rise(held.bytes, ns);
            self.whole.arrive(held.order, held.bytes, ns);
        }
    }

    /// A block is gone; `is_released` if by a release.
    #[inline(never)]
    pub fn on_free(&mut self, held: &Counted, sites: &Sites, ns: u64, is_released: bool) {
        let traits = sites.traits(held.site);
        let Some(line) = traits.line.map(usize::from) else {
            return;
        };
        let family = &mut self.families[line];
        family.releases += held.blocks * u64::from(is_released);
        family.live = family.live.saturating_sub(held.bytes);
        let device = traits.device_of();
        self.timelines.change(ns, line, family.live, device);
        if let Some(spreads) = &mut self.spreads {
            spreads.fall(held, line, device);
        }
        let (extent, bare) = self.extents(held, traits);
        self.site_stats
            .on_free::<Saturating>(traits, held, bare, (ns, is_released));
        if traits.is_dropped_by_reset {
            let guard = self.guard_of(held.id);
            let pages = taken(held.bytes, extent.as_ref(), guard);
            self.oom.on_pages_returned(traits.device, pages, guard);
        }
        if let Some(extent) = extent {
            if let Some(fit) = &mut self.fit {
                fit.on_free(traits.device, &extent, ns);
            }
            self.class(traits, &extent)
                .depart(held.order, held.size, extent);
        }
        if traits.is_of_device {
            self.devices.of(traits.device).fall(held.bytes);
            let item = (traits.place, held.blocks, held.bytes);
            self.whole.depart(held.order, held.bytes, item);
        }
        self.forget(held.id);
    }

    /// Whether any live block has redzones.
    #[inline(always)]
    pub fn has_guards(&self) -> bool {
        !self.guards.is_empty()
    }

    /// Forgets a block's redzones. Should its release be refused, it comes back without them: at worst it counts to the wrong page class.
    #[inline]
    pub fn forget(&mut self, block: BlockId) {
        if !self.guards.is_empty() {
            self.guards.remove(&block);
        }
    }

    /// Restores a block whose release was refused. Returns whether it counts as used: see [`StatsBySite::undo_free`].
    pub fn undo_free(&mut self, held: &LiveBlock, sites: &Sites, ns: u64) -> bool {
        let held = &Counted::from(held);
        let traits = sites.traits(held.site);
        let Some(line) = traits.line.map(usize::from) else {
            return false;
        };
        let family = &mut self.families[line];
        family.releases = family.releases.saturating_sub(held.blocks);
        self.rise(line, held, ns, traits);
        let (extent, bare) = self.extents(held, traits);
        let counts_as_used = self.site_stats.undo_free(traits, held, bare, ns);
        self.took(held, traits, extent.as_ref(), 0);
        if let Some(extent) = extent {
            if let Some(fit) = &mut self.fit {
                fit.on_alloc(traits.device, &extent, ns);
            }
            self.class(traits, &extent)
                .come_back(held.order, held.size, ns);
        }
        if traits.is_of_device {
            self.devices.of(traits.device).rise(held.bytes, ns);
            self.whole.come_back(held.order, held.bytes, ns);
        }
        counts_as_used
    }

    /// Allocating the latest block took the runtime `taken` nanoseconds.
    pub fn slow(&mut self, held: &LiveBlock, sites: &Sites, ns: u64, taken: u64) {
        let block = &held.block;
        let pages = self.pages(held, sites);
        let reported = match block.family().is_dropped_by_reset() {
            true => self
                .oom
                .beyond_free(block.device, pages, ns - taken.min(ns)),
            false => None,
        };
        let outgrown = reported.map(|free| (free, pages));
        let at = sites.canonical(block.site).0 as usize;
        self.site_stats.slow(at, taken, outgrown);
    }

    /// Redzones were written around the block just allocated.
    pub fn guard(&mut self, held: &LiveBlock, overhead: GuardOverhead, sites: &Sites, ns: u64) {
        let block = &held.block;
        let traits = sites.traits(block.site);
        let before = self.extent(block, sites);
        let pages = self.pages(held, sites);
        let bytes = overhead.added_bytes();
        self.guarded += 1;
        self.in_padding += u64::from(bytes == 0);
        self.guard_bytes = self.guard_bytes.saturating_add(bytes);
        self.guards.insert(block.id, overhead);
        self.with_guard_page += u64::from(overhead.has_guard_page);
        let more = self.pages(held, sites).saturating_sub(pages);
        if traits.is_dropped_by_reset {
            self.oom.on_pages_taken(block.device, more, bytes, 0);
        }
        let Some(before) = before else {
            return;
        };
        self.guard_pages = self.guard_pages.saturating_add(more);
        let after = self.extent(block, sites);
        if let Some(fit) = &mut self.fit {
            fit.on_free(block.device, &before, ns);
            if let Some(after) = &after {
                fit.on_alloc(block.device, after, ns);
            }
        }
        if after.is_some_and(|after| after.page == before.page) {
            return;
        }
        self.class(traits, &before).withdraw(block.size);
        if let Some(after) = after {
            self.moved += 1;
            self.class(traits, &after)
                .arrive(held.order, block.size, ns);
        }
    }

    /// Alignment padding after a block.
    pub fn padding(&self, block: &Block, sites: &Sites) -> u64 {
        let reported = self.guards.get(&block.id).map(|overhead| overhead.padding);
        let rounding = || {
            Some(
                self.extent(block, sites)?
                    .rounded
                    .saturating_sub(block.size),
            )
        };
        reported.or_else(rounding).unwrap_or(0)
    }

    /// Device memory by site at its peak.
    pub fn at_peak(&self, live: &[LiveBlock], sites: &Sites) -> Vec<Share> {
        let now = live
            .iter()
            .filter(|held| held.block.family().is_of_device());
        self.whole.items(now.map(|held| {
            let place = sites.canonical(held.block.site);
            (held.order, (place, held.blocks(), held.bytes))
        }))
    }

    #[inline(always)]
    fn rise(&mut self, line: usize, held: &Counted, ns: u64, traits: &SiteTraits) {
        let device = traits.device_of();
        let family = &mut self.families[line];
        family.live = family.live.saturating_add(held.bytes);
        if family.live > family.peak.0 {
            family.peak = (family.live, ns);
        }
        self.timelines.change(ns, line, family.live, device);
        if let Some(spreads) = &mut self.spreads {
            spreads.rise(held, line, device);
        }
    }

    pub(super) fn extent(&self, block: &Block, sites: &Sites) -> Option<Extent> {
        let traits = sites.traits(block.site);
        self.extents_of(block.id, (block.address, block.size), traits)
            .0
    }

    #[inline(always)]
    fn extents(&self, held: &Counted, traits: &SiteTraits) -> (Option<Extent>, Option<Footprint>) {
        self.extents_of(held.id, (held.address, held.size), traits)
    }

    /// The extent of a block, unless the shim chose its address; and what it takes without redzones. Addresses of blocks before guard pages say nothing about the program.
    #[inline(always)]
    fn extents_of(
        &self,
        id: BlockId,
        (address, size): (u64, u64),
        traits: &SiteTraits,
    ) -> (Option<Extent>, Option<Footprint>) {
        let Some(paging) = &traits.paging else {
            return (None, None);
        };
        let owner = traits.place.0;
        let bare = paging.extent_at(address, size, 0, owner);
        let whole = match self.guards.get(&id) {
            None => Some(bare),
            Some(overhead) => (!overhead.has_guard_page).then(|| Extent {
                address: address.saturating_sub(overhead.left_redzone),
                ..paging.extent_at(address, size, overhead.added_bytes(), owner)
            }),
        };
        (whole, Some(Footprint::of(&bare, traits.is_forced)))
    }

    /// Page bytes of a block, as far as they are its own.
    fn pages(&self, held: &LiveBlock, sites: &Sites) -> u64 {
        let extent = self.extent(&held.block, sites);
        taken(held.bytes, extent.as_ref(), self.guard_of(held.block.id))
    }

    #[inline(always)]
    fn guard_of(&self, id: BlockId) -> u64 {
        self.guards.get(&id).map_or(0, GuardOverhead::added_bytes)
    }

    #[inline(always)]
    fn took(&mut self, held: &Counted, traits: &SiteTraits, extent: Option<&Extent>, granted: u64) {
        if traits.is_dropped_by_reset {
            let guard = self.guard_of(held.id);
            let pages = taken(held.bytes, extent, guard);
            self.oom
                .on_pages_taken(traits.device, pages, guard, granted);
        }
    }

    fn class(&mut self, traits: &SiteTraits, extent: &Extent) -> &mut Peak<Extent> {
        &mut self.classes.of(traits.device, extent.page).peak
    }
}
