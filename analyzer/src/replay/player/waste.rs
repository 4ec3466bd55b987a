//! Findings at the end of replay: waste, growth, refused memory.

use std::collections::BTreeMap;

use aclsan_log::CallSiteId;
use aclsan_render::model::Cause;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::waste::Holes;
use aclsan_rules::judge;
use aclsan_rules::rules::leak_growing::Series;
use aclsan_rules::trackers::heap::LiveBlock;

use super::Player;
use crate::replay::dedup::Deduplicator;
use crate::replay::sites::growth::{Growth, Samples};
use crate::replay::sites::stats::is_unused;
use crate::replay::totals::Sum;
use crate::replay::{CountedFinding, Layout, SiteStats};

impl Player {
    /// Findings about allocation sites, in the order of the rule registry. `live` are the blocks at the end, `layouts` their layouts.
    pub(super) fn waste(&mut self, live: &[LiveBlock], layouts: &[Layout]) -> Vec<CountedFinding> {
        let mut found = Vec::new();
        let mut tell = |finding: Option<Finding>, held: &LiveBlock, times| {
            if let Some(finding) = finding {
                let mut apart = Deduplicator::default();
                apart.add_apart(finding, times, held.since_ns, held.thread);
                found.extend(apart.finish());
            }
        };
        let growth = std::mem::take(&mut self.growth);
        let site_stats = std::mem::take(&mut self.accounting.read().site_stats.list);
        let places: Vec<(usize, &SiteStats, LiveBlock)> = site_stats
            .iter()
            .enumerate()
            .filter_map(|(at, stats)| {
                let mut first = stats.first?;
                first.block.site = self.sites.whole(first.block.site);
                Some((at, stats, first))
            })
            .filter(|(_, _, held)| !self.annotations.ignored.has(held.block.id))
            .collect();
        for (held, finding) in self.growing(growth, &places) {
            tell(Some(finding), &held, 1);
        }
        // Of blocks that are not recorded nobody knows what they waste.
        let places = match self.heap.is_sampled() {
            true => Vec::new(),
            false => places,
        };
        for (_, stats, held) in &places {
            tell(judge::pages(&held.block, &stats.worst.paged()), held, 1);
        }
        for (_, stats, held) in &places {
            let again = stats.again(self.has_times);
            tell(judge::repeated(&held.block, &again), held, 1);
        }
        for (held, sum) in self.unused(&places, live) {
            let finding = judge::unused(&held.block, sum.blocks, sum.bytes);
            tell(finding, &held, sum.blocks);
        }
        for refused in &self.accounting.read().oom.list {
            let evidence = refused.evidence();
            let proof = evidence.filter(|_| refused.cause == Cause::Fragmentation);
            if let Some(finding) =
                proof.and_then(|proof| judge::out_of_memory(&refused.call, &proof))
            {
                let mut apart = Deduplicator::default();
                apart.add_apart(finding, refused.count, refused.ns, refused.thread);
                found.extend(apart.finish());
            }
        }
        for layout in layouts {
            let Some(pinner) = layout.pinners.first() else {
                continue;
            };
            let Some(held) = site_stats.get(pinner.owner as usize).and_then(|h| h.first) else {
                continue;
            };
            let holes = Holes {
                device: layout.device,
                page: layout.page.bytes(),
                pages: layout.peak.page_bytes,
                free: layout.peak.free_bytes,
                count: layout.peak.holes,
                largest: layout.peak.largest_hole_bytes,
                request: layout.typical,
                unusable: (layout.peak_unusable * layout.peak.free_bytes as f64) as u64,
            };
            if let Some(finding) = judge::layout(&held.block, &holes) {
                let mut apart = Deduplicator::default();
                apart.add_apart(finding, 1, layout.peak_ns, held.thread);
                found.extend(apart.finish());
            }
        }
        self.accounting.read().site_stats.list = site_stats;
        found
    }

    fn growing(
        &self,
        growth: Growth,
        places: &[(usize, &SiteStats, LiveBlock)],
    ) -> Vec<(LiveBlock, Finding)> {
        let Some(reported) = growth.finish(self.now.0) else {
            return Vec::new();
        };
        let steps = |at: usize| -> Vec<u64> {
            let samples = reported.samples.iter();
            samples
                .map(|sample| sample.bytes().get(at).copied().unwrap_or(0))
                .collect()
        };
        let sub_sites = self.annotations.sub_sites();
        let of_pools = |is_any: bool| {
            let parts = sub_sites.by_site.iter().filter_map(|(&at, place)| {
                let mut first = place.first;
                first.block.site = self.sites.whole(first.block.site);
                let samples = steps(at);
                let last = samples.last().copied().unwrap_or(0);
                let is_kept = is_any || sub_sites.bytes(at) / 9 >= last / 10;
                let pool = self.annotations.pool_name(place.record);
                let series = series(&reported, &samples);
                let finding = judge::growing_in_pool(&first.block, &series, is_kept, pool)?;
                Some((first, finding))
            });
            parts.collect::<Vec<_>>()
        };
        let mut found = of_pools(false);
        // Its blocks grow with what it hands out.
        let is_explained = |site| !found.is_empty() && self.annotations.is_divided(site);
        let grown = places.iter().filter_map(|&(at, stats, held)| {
            if is_explained(self.sites.canonical(held.block.site)) {
                return None;
            }
            let samples = steps(at);
            let last = samples.last().copied().unwrap_or(0);
            let is_kept = stats.kept / 9 >= last / 10;
            if is_within_noise(&held, &samples) {
                return None;
            }
            let finding = judge::growing(&held.block, &series(&reported, &samples), is_kept)?;
            Some((held, finding))
        });
        let mut grown: Vec<_> = grown.collect();
        // Interpreters release what containers hold at their end, and the pool keeps its blocks: what grew in it says more than they do.
        let is_of_pool =
            |held: &LiveBlock| (self.annotations).is_divided(self.sites.canonical(held.block.site));
        if grown.iter().any(|(held, _)| is_of_pool(held)) {
            let parts = of_pools(true);
            if !parts.is_empty() {
                grown.retain(|(held, _)| !is_of_pool(held));
                found.extend(parts);
            }
        }
        found.extend(grown);
        found
    }

    /// Sites none of whose blocks was ever used. Unknown if kernels with unknown arguments ran, or the process was cut short.
    fn unused(
        &mut self,
        places: &[(usize, &SiteStats, LiveBlock)],
        live: &[LiveBlock],
    ) -> Vec<(LiveBlock, Sum)> {
        if self.is_opaque || !self.is_complete || self.accounting.read().site_stats.used == 0 {
            return Vec::new();
        }
        let mut still: BTreeMap<CallSiteId, Sum> = BTreeMap::new();
        for held in live {
            if is_unused(held) {
                let place = self.sites.canonical(held.block.site);
                still.entry(place).or_default().add(held);
            }
        }
        let unused = places.iter().filter_map(|&(at, stats, held)| {
            let live = still
                .get(&CallSiteId(at as u32))
                .copied()
                .unwrap_or_default();
            let sum = Sum {
                blocks: stats.unused.blocks + live.blocks,
                bytes: stats.unused.bytes.saturating_add(live.bytes),
            };
            (sum.blocks > 0 && sum.blocks == stats.allocated.blocks).then_some((held, sum))
        });
        unused.collect()
    }
}

/// Whether the growth of a site, estimated from a sample of its blocks, is less than what chance makes of constant memory: of live bytes with
/// steps of `step` bytes, four standard deviations.
fn is_within_noise(held: &LiveBlock, samples: &[u64]) -> bool {
    let step = held.bytes.saturating_sub(held.block.size) as f64;
    let (first, last) = (samples.first(), samples.last());
    let (first, last) = (*first.unwrap_or(&0) as f64, *last.unwrap_or(&0) as f64);
    step > 0.0 && last - first < 4.0 * (last * step).sqrt()
}

fn series<'a>(reported: &Samples, samples: &'a [u64]) -> Series<'a> {
    Series {
        samples,
        epoch: reported.epoch,
        epoch_ns: reported.epoch_ns,
        seen: reported.seen,
        stride: reported.stride,
        is_named: reported.is_named,
    }
}
