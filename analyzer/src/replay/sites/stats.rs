//! Statistics by allocation site: sizes, lifetimes, rates, latencies.

use std::mem::offset_of;

use aclsan_log::BlockId;
use aclsan_render::model::{Extent, Page};
use aclsan_rules::api::family::Family;
use aclsan_rules::evidence::waste::{Churn, Paged};
use aclsan_rules::trackers::heap::LiveBlock;

use super::SiteTraits;
use super::buffered_histogram::BufferedHistogram;
use super::histogram::LogLinearHistogram;
use crate::replay::counted::Counted;
use crate::replay::totals::{Arithmetic, Saturating, Sum};

/// Statistics of one allocation site. Four cache lines have what every event changes; the rest follows.
#[derive(Clone, PartialEq, Debug, Default)]
#[repr(C, align(64))]
pub struct SiteStats {
    /// Allocations.
    pub allocated: Sum,
    /// Live now.
    pub live: Sum,
    /// Bytes allocated and not released, whether or not a reset freed them.
    pub kept: u64,
    /// Releases.
    pub releases: u64,
    /// Peak of live bytes, and when.
    pub peak: (u64, u64),
    cost: Cost,
    /// Bytes that `worst` loses and one more; 0 without it.
    above_worst: u64,
    /// The size that was released last and one more; 0 if it was allocated since.
    spare: u64,
    again: (u64, u64),
    last_ns: u64,
    departed: Option<(BlockId, u64, bool)>,
    /// Freed blocks that no call ever used.
    pub unused: Sum,
    /// Lifetimes of released blocks, in nanoseconds.
    pub lifetimes: BufferedHistogram,
    /// Its first block.
    pub first: Option<LiveBlock>,
    /// Cost of rounding and pages, at its highest.
    pub worst: Cost,
    /// Latencies of allocations that took [`SLOW_NS`](aclsan_log::record::SLOW_NS) or more, in nanoseconds.
    pub slow: LogLinearHistogram,
    /// Their sum, and the slowest.
    pub slow_ns: (u64, u64),
    /// For the slowest: the free bytes that the runtime had reported, and the pages it needed, if those were more.
    pub outgrown: Option<(u64, u64)>,
}

const _: () = assert!(offset_of!(SiteStats, lifetimes) == 3 * 64 + 8);

/// What blocks take beyond their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Blocks, and the bytes requested.
    pub asked: Sum,
    /// Bytes after the runtime's rounding and padding.
    pub rounded: u64,
    /// Page bytes; for normal pages, which blocks share, the rounded bytes.
    pub pages: u64,
    /// Bytes that normal pages would take.
    pub normal: u64,
    /// Size of the largest page among them.
    pub page: u64,
    /// Blocks whose policy forbids a smaller page.
    pub forced: u64,
}

/// What one block adds to a [`Cost`].
#[derive(Clone, Copy)]
pub struct Footprint {
    asked: u64,
    rounded: u64,
    pages: u64,
    normal: u64,
    page: Page,
    is_alone: bool,
    is_forced: bool,
}

impl Footprint {
    /// Of a block with this extent; `is_forced` if its policy forbids a smaller page.
    #[inline(always)]
    pub fn of(extent: &Extent, is_forced: bool) -> Self {
        // A block that does not begin at a page boundary shares its page: the driver packs blocks.
        let is_alone = extent.page != Page::Normal && extent.page.begins_at(extent.address);
        let up = |bytes: u64, page: Page| page.up(bytes).unwrap_or(bytes);
        Self {
            asked: extent.asked,
            rounded: extent.rounded,
            pages: match is_alone {
                true => up(extent.rounded, extent.page),
                false => extent.rounded,
            },
            normal: up(extent.rounded, Page::Normal),
            page: extent.page,
            is_alone,
            is_forced,
        }
    }
}

impl Cost {
    #[inline(always)]
    fn lost(&self) -> u64 {
        self.pages.saturating_sub(self.asked.bytes)
    }

    #[inline(always)]
    fn change(&mut self, block: &Footprint, sign: impl Fn(u64, u64) -> u64) {
        self.asked.blocks = sign(self.asked.blocks, 1);
        self.asked.bytes = sign(self.asked.bytes, block.asked);
        self.rounded = sign(self.rounded, block.rounded);
        self.pages = sign(self.pages, block.pages);
        self.normal = sign(self.normal, block.normal);
        if block.is_forced {
            self.forced = sign(self.forced, 1);
        }
        if block.is_alone {
            self.page = self.page.max(block.page.bytes());
        }
    }

    /// In the rule's terms.
    pub fn paged(&self) -> Paged {
        Paged {
            blocks: self.asked.blocks,
            asked: self.asked.bytes,
            pages: self.pages,
            page: self.page,
            normal: self.normal,
            is_forced: self.forced == self.asked.blocks,
        }
    }
}

impl SiteStats {
    /// How often it allocated a size that it had just released; `has_times` if the log has allocation times.
    pub fn again(&self, has_times: bool) -> Churn {
        let first = self.first.map_or(0, |held| held.since_ns);
        Churn {
            allocations: self.allocated.blocks,
            again: self.again.1,
            size: self.again.0,
            span_ns: self.last_ns.saturating_sub(first),
            slow: has_times.then_some((self.slow.count(), self.slow_ns.0)),
        }
    }

    #[inline(always)]
    fn repeat(&mut self, size: u64) {
        if std::mem::take(&mut self.spare) != size.wrapping_add(1) {
            return;
        }
        // Majority vote (Boyer–Moore): finds the size of most repetitions, if one size has a majority.
        match self.again {
            (known, count) if known == size => self.again.1 = count + 1,
            (_, 0 | 1) => self.again = (size, 1),
            (_, count) => self.again.1 = count - 1,
        }
    }
}

/// Statistics by site number.
#[derive(Default)]
pub struct StatsBySite {
    /// By canonical site number.
    pub list: Vec<SiteStats>,
    /// Live device blocks that no call has used yet.
    unused: u64,
    /// Blocks that some call used.
    pub used: u64,
}

impl StatsBySite {
    /// Statistics for `sites` sites.
    pub fn new(sites: usize) -> Self {
        Self {
            list: vec![SiteStats::default(); sites],
            ..Self::default()
        }
    }

    /// Makes room for `sites` sites.
    pub fn grow(&mut self, sites: usize) {
        let sites = sites.max(self.list.len());
        self.list.resize(sites, SiteStats::default());
    }

    /// A block was allocated; `footprint` is what it takes without redzones. The first block of a site is kept whole.
    #[inline(always)]
    pub fn on_alloc<A: Arithmetic>(
        &mut self,
        traits: &SiteTraits,
        held: &Counted,
        footprint: Option<Footprint>,
        ns: u64,
        whole: impl FnOnce() -> Option<LiveBlock>,
    ) {
        let Some(stats) = self.list.get_mut(traits.place.0 as usize) else {
            return;
        };
        if stats.allocated.blocks == 0 {
            stats.first = whole();
        }
        stats.allocated.add_counted::<A>(held.blocks, held.bytes);
        stats.kept = A::sum(stats.kept, held.bytes);
        stats.last_ns = ns;
        stats.repeat(held.size);
        self.unused += u64::from(is_counted_unused(held, traits));
        stats.rise::<A>(held, footprint, ns);
    }

    /// A block is gone; `is_released` if by a release.
    #[inline(always)]
    pub fn on_free<A: Arithmetic>(
        &mut self,
        traits: &SiteTraits,
        held: &Counted,
        footprint: Option<Footprint>,
        (ns, is_released): (u64, bool),
    ) {
        let Some(stats) = self.list.get_mut(traits.place.0 as usize) else {
            return;
        };
        stats.live.subtract_counted::<A>(held.blocks, held.bytes);
        if let Some(block) = footprint {
            stats.cost.change(&block, A::difference);
        }
        let is_unused = is_counted_unused(held, traits);
        if is_unused {
            self.unused = self.unused.saturating_sub(1);
            stats.unused.add_counted::<A>(held.blocks, held.bytes);
        }
        let lived = ns.saturating_sub(held.since_ns);
        stats.departed = Some((held.id, lived, is_unused));
        if is_released {
            stats.releases += held.blocks;
            stats.kept = A::difference(stats.kept, held.bytes);
            stats.lifetimes.add(lived);
            stats.spare = held.size.wrapping_add(1);
        }
    }

    /// Reads a word of each cache line that an entry of a site will change, so that they are loaded for several entries at once.
    #[inline(always)]
    pub fn touch(&self, traits: &SiteTraits) -> u64 {
        self.list.get(traits.place.0 as usize).map_or(0, |stats| {
            stats.kept ^ stats.above_worst ^ stats.last_ns ^ stats.unused.bytes
        })
    }

    /// Restores a block whose release was refused. Returns whether it counts as used, even though no call may have used it.
    pub fn undo_free(
        &mut self,
        traits: &SiteTraits,
        held: &Counted,
        footprint: Option<Footprint>,
        ns: u64,
    ) -> bool {
        let Some(stats) = self.list.get_mut(traits.place.0 as usize) else {
            return false;
        };
        let mut counts_as_used = is_counted_unused(held, traits);
        stats.releases = stats.releases.saturating_sub(held.blocks);
        stats.kept = stats.kept.saturating_add(held.bytes);
        stats.spare = 0;
        if let Some((_, lived, is_unused)) = stats.departed.take_if(|(id, ..)| *id == held.id) {
            stats.lifetimes.remove(lived);
            if is_unused {
                (stats.unused).subtract_counted::<Saturating>(held.blocks, held.bytes);
                self.unused += 1;
                counts_as_used = false;
            }
        }
        stats.rise::<Saturating>(held, footprint, ns);
        counts_as_used
    }

    /// Allocating a block of site `at` took `ns`; `outgrown` if it needed more than the runtime had reported free.
    pub fn slow(&mut self, at: usize, ns: u64, outgrown: Option<(u64, u64)>) {
        if let Some(stats) = self.list.get_mut(at) {
            stats.slow.add(ns);
            stats.slow_ns.0 = stats.slow_ns.0.saturating_add(ns);
            if ns > stats.slow_ns.1 {
                (stats.slow_ns.1, stats.outgrown) = (ns, outgrown);
            }
        }
    }

    /// Whether some live block has not been used yet.
    pub fn expects_uses(&self) -> bool {
        self.unused > 0
    }

    /// The number of those blocks.
    pub fn unused(&self) -> u64 {
        self.unused
    }

    /// A call used a device block for the first time.
    pub fn on_first_use(&mut self) {
        self.unused = self.unused.saturating_sub(1);
        self.used += 1;
    }

    /// Live bytes of every site, with these of its parts of pools.
    pub fn live(&self, parts: &[u64]) -> Vec<u64> {
        let mut live: Vec<u64> = self.list.iter().map(|stats| stats.live.bytes).collect();
        live.resize(live.len().max(parts.len()), 0);
        for (sum, own) in live.iter_mut().zip(parts) {
            *sum = sum.saturating_add(*own);
        }
        live
    }
}

/// Whether this is a device block that no call has used.
pub fn is_unused(held: &LiveBlock) -> bool {
    held.block.family() == Family::Device && !held.is_named
}

fn is_counted_unused(held: &Counted, traits: &SiteTraits) -> bool {
    traits.is_device_family && !held.is_named
}

impl SiteStats {
    #[inline(always)]
    fn rise<A: Arithmetic>(&mut self, held: &Counted, footprint: Option<Footprint>, ns: u64) {
        self.live.add_counted::<A>(held.blocks, held.bytes);
        if self.live.bytes > self.peak.0 {
            self.peak = (self.live.bytes, ns);
        }
        if let Some(block) = footprint {
            self.cost.change(&block, A::sum);
            if self.cost.lost() >= self.above_worst {
                self.worst = self.cost;
                self.above_worst = self.cost.lost().saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_that_most_repetitions_have_is_kept() {
        let mut stats = SiteStats::default();
        for size in [8, 8, 64, 8, 8] {
            stats.spare = size + 1;
            stats.repeat(size);
        }
        // 8: 1, 2; 64 takes one away; 8: 2, 3.
        assert_eq!(stats.again, (8, 3));
        stats.repeat(8);
        assert_eq!(stats.again, (8, 3), "nothing was already released");
    }

    #[test]
    fn pages_of_their_own_are_counted_whole_and_shared_ones_by_bytes() {
        let extent = |address, page| Extent {
            address,
            asked: 5 << 18,
            rounded: (5 << 18) + 32,
            page,
            owner: 0,
        };
        let mut cost = Cost::default();
        let mut add = |address, page| {
            let block = Footprint::of(&extent(address, page), false);
            cost.change(&block, u64::saturating_add);
            cost
        };
        let cost = add(2 << 20, Page::Huge);
        // 1.25 MiB and 32 bytes take 2 MiB; in normal pages 1.25 MiB and 4 KiB.
        assert_eq!((cost.pages, cost.normal), (2 << 20, (5 << 18) + 4096));
        add(512, Page::Huge);
        let cost = add(4096, Page::Normal);
        assert_eq!(cost.pages, (2 << 20) + 2 * ((5 << 18) + 32));
        assert_eq!(cost.page, 2 << 20);
    }
}
