//! Turns the annotations of a replay into those of the report, with symbolized sites, one process after another.

use std::cmp::Reverse;

use aclsan_render::model::{Annotations, Pool, PoolSite};
use aclsan_rules::trackers::objects::sub_block_index::Source;

use crate::replay::{AnnotationSummary, PoolAttributeTracker};
use crate::symbols::stacks::Stacks;

/// Most sites reported per pool.
const MAX_SITES: usize = 20;

/// Who reported a pool, as reports name it.
pub fn source_name(source: Source) -> &'static str {
    match source {
        Source::Annotation => "annotation",
        Source::Mstx => "mstx",
        Source::Runtime => "runtime",
    }
}

/// Adds the annotations of process `pid`, which has index `process` in the report.
pub fn add(
    to: &mut Annotations,
    (process, pid): (usize, u32),
    reported: &AnnotationSummary,
    stacks: &mut Stacks,
) {
    for record in &reported.pools {
        let mut live: Vec<_> = record.live.iter().collect();
        live.sort_by_key(|(site, sum)| (Reverse(sum.bytes), site.0));
        let sites = live.iter().take(MAX_SITES).map(|(site, sum)| PoolSite {
            blocks: sum.blocks,
            bytes: sum.bytes,
            allocated: stacks.trace("allocated", **site),
        });
        to.pools.push(Pool {
            pid,
            process,
            source: source_name(record.source),
            name: record.name.clone(),
            device: record.device,
            pools: record.pools,
            bytes: record.bytes,
            allocations: record.allocations,
            releases: record.releases,
            dropped: record.dropped,
            live_blocks: record.live.values().map(|sum| sum.blocks).sum(),
            live_bytes: (record.live.values())
                .fold(0, |bytes: u64, sum| bytes.saturating_add(sum.bytes)),
            peak_bytes: record.peak.0,
            peak_ns: record.peak.1,
            overlaps: record.overlaps,
            outside: record.outside,
            inside: record.inside.clone().finish(),
            attributes: record.attributes.as_ref().map(PoolAttributeTracker::finish),
            sites: sites.collect(),
        });
    }
    let epochs = reported.epochs.iter().cloned();
    to.epochs.extend(epochs.map(|mut epoch| {
        (epoch.process, epoch.pid) = (process, pid);
        epoch
    }));
    to.epochs_left_out += reported.epochs_left_out;
    let snapshots = reported.snapshots.iter().cloned();
    to.snapshots.extend(snapshots.map(|mut snapshot| {
        (snapshot.process, snapshot.pid) = (process, pid);
        snapshot
    }));
    let categories = reported.categories.iter().cloned();
    to.categories.extend(categories.map(|mut category| {
        (category.process, category.pid) = (process, pid);
        category
    }));
    let (blocks, bytes, findings) = reported.ignored;
    to.ignored.blocks += blocks;
    to.ignored.bytes = to.ignored.bytes.saturating_add(bytes);
    to.ignored.findings += findings;
}
