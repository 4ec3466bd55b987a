//! Replays a log: rebuilds the heap and asks the rules again. The source of a report on one process.
//!
//! Events are streamed, not kept. Memory grows with live blocks, sites and findings, not with the length of the log.

pub mod account;
mod accounting;
mod ahead;
mod annotations;
mod counted;
mod dedup;
mod end;
mod leaks;
mod living;
mod oom;
mod pages;
mod player;
mod sites;
#[cfg(test)]
pub mod tests;
mod totals;
mod transfers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aclsan_log::batch::Batch;
use aclsan_log::reader::Corruption;
use aclsan_log::record::{ATTACH_SETTLES_NS, ATTACHED, BLOCK_SAMPLE};
use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::{Fit, LINES, Point};
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::estimate::BlockSample;
use aclsan_rules::trackers::heap::{Heap, LiveBlock};

pub use accounting::layout::Layout;
use accounting::spreads::Spreads;
pub use ahead::read_between;
pub use annotations::{AnnotationSummary, EachSnapshotBlock, Ignored, PoolAttributeTracker};
pub use dedup::CountedFinding;
pub use end::Ending;
pub use leaks::group::Group;
pub use leaks::reachability::Scan;
pub use leaks::{BlockAtEnd, Dropped};
pub use living::Living;
pub use oom::RefusedAllocation;
pub use pages::page_bytes;
pub use player::NO_END;
pub use sites::Sites;
pub use sites::calls::Calls;
pub use sites::histogram::LogLinearHistogram;
pub use sites::stats::SiteStats;
pub use totals::{FamilyTotals, Sum};
pub use transfers::Transferred;

use player::Player;

/// The file name of the log's program.
pub fn program_name(log: &Log) -> String {
    let path = log.properties.get("program").map_or("", String::as_str);
    let name = Path::new(path).file_name();
    name.map_or_else(|| "?".into(), |name| name.to_string_lossy().into_owned())
}

/// Everything that a log shows; sites are still numbers.
#[derive(Debug)]
pub struct Replay {
    /// Findings in order of time; leak findings come last.
    pub findings: Vec<CountedFinding>,
    /// Index of the first finding that comes from sums over time; they follow all others.
    pub first_of_sums: usize,
    /// Leaks, each with the index of the finding about it.
    pub leaks: Vec<(Group, Option<usize>)>,
    /// Releases of pointers of unknown origin, by site: count and first pointer.
    pub unknown: BTreeMap<CallSiteId, (u64, u64)>,
    /// Calls and refusals by function.
    pub calls: Calls,
    /// By family, in the order of `Family::MEMORY`.
    pub families: [FamilyTotals; LINES],
    /// By device: live bytes at the end, peak, and when.
    pub devices: BTreeMap<i32, (u64, u64, u64)>,
    /// How far live bytes and peaks may be off; `None` if all blocks are recorded.
    pub spreads: Option<Spreads>,
    /// By device: fewest free bytes and total bytes that the runtime reported.
    pub reported: BTreeMap<i32, (u64, u64)>,
    /// Layouts by device and page class.
    pub layouts: Vec<Layout>,
    /// Live bytes over time.
    pub points: Vec<Point>,
    /// The same of each device, if the process used several; values of host memory mean nothing.
    pub device_points: Vec<(i32, Vec<Point>)>,
    /// What each site allocated, by site number.
    pub allocated: Vec<Sum>,
    /// Live at the end, by site. Empty in [`ReportScope::Leaks`], like `at_peak`.
    pub live: BTreeMap<CallSiteId, Sum>,
    /// What the last reset of a device reclaimed, by site.
    pub reclaimed: BTreeMap<CallSiteId, Sum>,
    /// Live at the peak of device memory, by site.
    pub at_peak: BTreeMap<CallSiteId, Sum>,
    /// Statistics of allocation sites, by site number.
    pub site_stats: Vec<SiteStats>,
    /// Whether the log has allocation times.
    pub has_times: bool,
    /// Allocations refused for lack of memory.
    pub refused: Vec<RefusedAllocation>,
    /// Copies between host and devices.
    pub transferred: Transferred,
    /// When the requested size would have fitted.
    pub fits: Vec<Fit>,
    /// The program's annotations.
    pub annotations: AnnotationSummary,
    /// Events read.
    pub events: u64,
    /// Time of the last one.
    pub duration_ns: u64,
    /// The last scan for pointers to live blocks.
    pub scan: Option<Scan>,
    /// Whether exit handlers ran or AscendCL was finalized.
    pub is_complete: bool,
    /// Whether the process is known to run still; see [`Replay::still_runs`].
    pub is_running: bool,
    /// How the process ended, if not by itself.
    pub ending: Option<Ending>,
    /// Events that the shim dropped.
    pub dropped: u64,
    /// Calls recorded without a stack because there were too many stacks.
    pub stackless: u64,
    /// Parts of the log that could not be read.
    pub damage: Vec<Corruption>,
    /// Records of types unknown to this version.
    pub unknown_records: u64,
    /// Calls that could not be judged: the function is unknown, or cannot do what the event says.
    pub unknown_functions: u64,
    /// Releases of block numbers that the log does not define.
    pub unmatched_releases: u64,
    /// Blocks overlaid by a later allocation: their release was not seen.
    pub unseen_releases: u64,
    /// Blocks with redzones, bytes of redzones, blocks moved to another page class by them, blocks whose pattern fits the padding.
    pub guards: (u64, u64, u64, u64),
    /// Page bytes that only redzones need.
    pub guard_pages: u64,
    /// Blocks before a guard page.
    pub with_guard_page: u64,
}

impl Replay {
    /// Total bytes allocated by each site.
    pub fn allocated_by_site(&self) -> impl Iterator<Item = (CallSiteId, u64)> {
        let sums = self.allocated.iter().enumerate();
        sums.map(|(site, sum)| (CallSiteId(site as u32), sum.bytes))
    }

    /// Sites that allocated, with their first block.
    pub fn allocating(&self) -> impl Iterator<Item = (CallSiteId, &SiteStats, LiveBlock)> {
        let site_stats = (0..).map(CallSiteId).zip(&self.site_stats);
        site_stats.filter_map(|(site, stats)| {
            let first = stats.first.filter(|_| stats.allocated.blocks > 0)?;
            Some((site, stats, first))
        })
    }

    /// Sites whose stacks a report shows: those of findings and leaks and, in a full report, those that allocated.
    pub fn shown(&self) -> BTreeSet<CallSiteId> {
        let leaks = self.leaks.iter().map(|(group, _)| group.first.block.site);
        let findings = self.findings.iter().map(|folded| &folded.finding);
        let of_findings = findings.flat_map(|finding| {
            let earlier = finding.earlier.iter().map(|&(_, site)| site);
            earlier.chain([finding.here])
        });
        let allocating = self.allocating().map(|(site, ..)| site);
        let ending = self.ending.iter();
        let of_end =
            ending.flat_map(|end| end.calls.iter().map(|call| call.site).chain([end.site]));
        let leaks = leaks.chain(of_end);
        leaks.chain(of_findings).chain(allocating).collect()
    }
}

/// What a report needs from a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportScope {
    /// Everything; with a size, also when a request of that size would have fitted.
    All(Option<u64>),
    /// Leaks, and findings that are errors. Accounting of bytes over time is skipped: on a long log it is most of the work.
    Leaks,
}

/// Replays `log`; `progress` is called now and then with the bytes read so far. With `ahead`, a second thread reads while this one plays,
/// and does the accounting.
pub fn replay(log: &Log, wanted: ReportScope, ahead: bool, progress: impl FnMut(u64)) -> Replay {
    replay_with_blocks(log, wanted, ahead, progress, BlockReceivers::default())
}

/// Receivers of single blocks.
#[derive(Default)]
pub struct BlockReceivers<'a> {
    /// Of those that were live at the end or reclaimed by the device's last reset.
    pub at_end: Option<leaks::EachBlock<'a>>,
    /// Of those that were live at snapshots.
    pub at_snapshots: Option<EachSnapshotBlock>,
}

/// As [`replay`], with single blocks.
pub fn replay_with_blocks(
    log: &Log,
    wanted: ReportScope,
    ahead: bool,
    mut progress: impl FnMut(u64),
    blocks: BlockReceivers,
) -> Replay {
    let mut player = Player::new(log, profile(log));
    if let Some(each) = blocks.at_snapshots {
        player.ask_for_snapshot_blocks(each);
    }
    let mut backlog = None;
    match wanted {
        ReportScope::Leaks => player.ask_for_leaks(),
        ReportScope::All(would_fit) => {
            player.ask_whether_fits(would_fit);
            backlog = ahead.then(|| player.share_accounting());
        }
    }
    let mut count = 0_u64;
    let play = |batch: &Batch, bytes: u64| {
        count += batch.entries().len() as u64;
        player.play(batch);
        progress(bytes);
    };
    let (read_damage, unknown) = match ahead {
        true => ahead::read_ahead(log, backlog.as_deref(), play),
        false => ahead::read_between(log, play),
    };
    let mut damage = log.damage.clone();
    damage.extend(read_damage);
    let unknown_records = log.unknown_records + unknown;
    let mut replay = player.finish(log, !damage.is_empty(), blocks.at_end);
    replay.events = count;
    replay.damage = damage;
    replay.unknown_records = unknown_records;
    replay
}

/// Until when released blocks are forgotten: see [`ATTACH_SETTLES_NS`].
pub fn settled_ns(log: &Log) -> u64 {
    match log.properties.contains_key(ATTACHED) {
        true => ATTACH_SETTLES_NS,
        false => 0,
    }
}

/// The heap before the first event.
pub fn heap_before(log: &Log) -> Heap {
    let heap = match log.properties.contains_key(ATTACHED) {
        true => Heap::partial(),
        false => Heap::default(),
    };
    heap.sampled(block_sample(log))
}

/// The sample of the blocks that the log has, if it has not all.
pub fn block_sample(log: &Log) -> Option<BlockSample> {
    let mean = log.properties.get(BLOCK_SAMPLE)?;
    BlockSample::new(mean.parse().ok()?)
}

pub fn profile(log: &Log) -> Profile {
    let property = |key: &str| log.properties.get(key).map_or("", String::as_str);
    let mut profile = Profile::of_soc(property("soc"));
    profile.shared_memory = property("run_mode") == "device";
    profile
}
