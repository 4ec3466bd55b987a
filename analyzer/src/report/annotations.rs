//! From what a program told about itself to the report: names for sites, one process after another.

use std::cmp::Reverse;

use aclsan_render::model::{Annotations, Pool, PoolSite};
use aclsan_rules::ledger::segments::Source;

use crate::replay::{AnnotationSummary, PoolAttributeTracker};
use crate::symbols::stacks::Stacks;

/// Places of a pool that are told.
const SITES_MOST: usize = 20;

/// Adds what process `pid` told, which has that place in the report.
pub fn add(
    to: &mut Annotations,
    (process, pid): (usize, u32),
    told: &AnnotationSummary,
    stacks: &mut Stacks,
) {
    for story in &told.pools {
        let mut live: Vec<_> = story.live.iter().collect();
        live.sort_by_key(|(site, sum)| (Reverse(sum.bytes), site.0));
        let sites = live.iter().take(SITES_MOST).map(|(site, sum)| PoolSite {
            blocks: sum.blocks,
            bytes: sum.bytes,
            allocated: stacks.trace("allocated", **site),
        });
        to.pools.push(Pool {
            pid,
            process,
            source: match story.source {
                Source::Annotation => "annotation",
                Source::Mstx => "mstx",
                Source::Runtime => "runtime",
            },
            name: story.name.clone(),
            device: story.device,
            pools: story.pools,
            bytes: story.bytes,
            allocations: story.allocations,
            releases: story.releases,
            dropped: story.dropped,
            live_blocks: story.live.values().map(|sum| sum.blocks).sum(),
            live_bytes: (story.live.values())
                .fold(0, |bytes: u64, sum| bytes.saturating_add(sum.bytes)),
            peak_bytes: story.peak.0,
            peak_ns: story.peak.1,
            overlaps: story.overlaps,
            outside: story.outside,
            inside: story.inside.clone().finish(),
            attributes: story.attributes.as_ref().map(PoolAttributeTracker::finish),
            sites: sites.collect(),
        });
    }
    let epochs = told.epochs.iter().cloned();
    to.epochs.extend(epochs.map(|mut epoch| {
        (epoch.process, epoch.pid) = (process, pid);
        epoch
    }));
    to.epochs_left_out += told.epochs_left_out;
    let snapshots = told.snapshots.iter().cloned();
    to.snapshots.extend(snapshots.map(|mut snapshot| {
        (snapshot.process, snapshot.pid) = (process, pid);
        snapshot
    }));
    let (blocks, bytes, findings) = told.ignored;
    to.ignored.blocks += blocks;
    to.ignored.bytes = to.ignored.bytes.saturating_add(bytes);
    to.ignored.findings += findings;
}
