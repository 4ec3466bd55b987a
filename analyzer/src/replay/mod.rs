//! Reads a log, rebuilds the heap, asks the rules: what a report of one process is made from.
//!
//! Events are taken one by one and not kept. Memory goes with live blocks, sites and findings, not with the length of the log.

mod accounting;
mod annotations;
mod dedup;
mod leaks;
mod oom;
mod player;
mod sites;
#[cfg(test)]
pub mod tests;
mod transfers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;

use aclsan_log::batch::Batch;
use aclsan_log::reader::Damage;
use aclsan_log::{Log, SiteId};
use aclsan_render::model::{Fit, LINES, Point};
use aclsan_rules::heap::Held;
use aclsan_rules::profile::Profile;

pub use accounting::layout::Layout;
pub use accounting::totals::{FamilyTotals, Sum};
pub use annotations::{AnnotationSummary, Ignored, PoolAttributeTracker};
pub use dedup::CountedFinding;
pub use leaks::Dropped;
pub use leaks::group::Group;
pub use leaks::reachability::Scan;
pub use oom::RefusedAllocation;
pub use player::NO_END;
pub use sites::Sites;
pub use sites::calls::Calls;
pub use sites::stats::SiteStats;
pub use transfers::Transferred;

use player::Player;

/// Everything that a log shows, with sites by number.
#[derive(Debug)]
pub struct Replay {
    /// Findings in order of time, those about leaks behind the others.
    pub findings: Vec<CountedFinding>,
    /// Leaks, and which of the findings is about each.
    pub leaks: Vec<(Group, Option<usize>)>,
    /// Releases of pointers of unknown origin by site: how many, and the first pointer.
    pub unknown: BTreeMap<SiteId, (u64, u64)>,
    /// Calls and refusals.
    pub calls: Calls,
    /// By family, in the order of `Family::MEMORY`.
    pub families: [FamilyTotals; LINES],
    /// By device: live bytes at the end, the most there were, and when.
    pub devices: BTreeMap<i32, (u64, u64, u64)>,
    /// By device: fewest free bytes and total bytes that the runtime told.
    pub told: BTreeMap<i32, (u64, u64)>,
    /// Layouts by device and page class.
    pub layouts: Vec<Layout>,
    /// Live bytes over time.
    pub points: Vec<Point>,
    /// What each site allocated, by site number.
    pub allocated: Vec<Sum>,
    /// What was live at the end, by site. Nothing where leaks alone are told, as at the peak.
    pub live: BTreeMap<SiteId, Sum>,
    /// What was live when most device memory was, by site.
    pub at_peak: BTreeMap<SiteId, Sum>,
    /// Places that allocate, by site number.
    pub site_stats: Vec<SiteStats>,
    /// Whether the log tells how long allocations took.
    pub has_times: bool,
    /// Allocations that were refused for want of memory.
    pub refused: Vec<RefusedAllocation>,
    /// Copies between host and devices.
    pub transferred: Transferred,
    /// Whether the request that was asked about would have fitted.
    pub fits: Vec<Fit>,
    /// What the program told about itself.
    pub annotations: AnnotationSummary,
    /// Events read.
    pub events: u64,
    /// Time of the last one.
    pub duration_ns: u64,
    /// The last scan for pointers to what was live.
    pub scan: Option<Scan>,
    /// Whether exit handlers ran or AscendCL was finalised.
    pub is_complete: bool,
    /// Events that the shim could not write.
    pub dropped: u64,
    /// Calls that are on record without a stack, because there were too many stacks.
    pub stackless: u64,
    /// Parts of the log that could not be read.
    pub damage: Vec<Damage>,
    /// Records of types that this aclsan does not know.
    pub unknown_records: u64,
    /// Calls that could not be judged: their function is not known, or can't do what the event says.
    pub unknown_functions: u64,
    /// Releases of block numbers that the log does not define.
    pub unmatched_releases: u64,
    /// Blocks that another was allocated over.
    pub unseen_releases: u64,
    /// Blocks with guards, bytes of guards, blocks that they moved to another page class, blocks that have them in the rounding alone.
    pub guards: (u64, u64, u64, u64),
    /// Bytes of pages that blocks lie in for their guards' sake.
    pub guard_pages: u64,
    /// Blocks that the shim laid before unmapped pages.
    pub with_guard_page: u64,
}

impl Replay {
    /// What each site allocated in all.
    pub fn allocated_by_site(&self) -> impl Iterator<Item = (SiteId, u64)> {
        let sums = self.allocated.iter().enumerate();
        sums.map(|(site, sum)| (SiteId(site as u32), sum.bytes))
    }

    /// The places that allocated, with their first block.
    pub fn allocating(&self) -> impl Iterator<Item = (SiteId, &SiteStats, Held)> {
        let site_stats = (0..).map(SiteId).zip(&self.site_stats);
        site_stats.filter_map(|(site, stats)| {
            let first = stats.first.filter(|_| stats.allocated.blocks > 0)?;
            Some((site, stats, first))
        })
    }

    /// The places whose stacks a report shows: those of findings and leaks, and where all is wanted, those that allocated.
    pub fn shown(&self) -> BTreeSet<SiteId> {
        let leaks = self.leaks.iter().map(|(group, _)| group.first.block.site);
        let findings = self.findings.iter().map(|folded| &folded.finding);
        let of_findings = findings.flat_map(|finding| {
            let earlier = finding.earlier.iter().map(|&(_, site)| site);
            earlier.chain([finding.here])
        });
        let allocating = self.allocating().map(|(site, ..)| site);
        leaks.chain(of_findings).chain(allocating).collect()
    }
}

/// What is to be told of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportScope {
    /// Everything; of a request of so many bytes, if one is named, also whether it would have fitted at any time.
    All(Option<u64>),
    /// What nobody released, and findings that are errors. Who had how many bytes and when is not: it is most of the work on a long log.
    Leaks,
}

/// Replays `log`; `progress` hears from time to time how many bytes have been read. With `ahead`, a second thread reads while this one plays,
/// and where there is much to keep a third one keeps it.
pub fn replay(
    log: &Log,
    wanted: ReportScope,
    ahead: bool,
    mut progress: impl FnMut(u64),
) -> Replay {
    let mut player = Player::new(log, profile(log));
    match wanted {
        ReportScope::Leaks => player.ask_for_leaks(),
        ReportScope::All(would_fit) => {
            player.ask_whether_fits(would_fit);
            if ahead {
                player.spawn_accounting();
            }
        }
    }
    let mut count = 0_u64;
    let play = |batch: &Batch, bytes: u64| {
        count += batch.steps().len() as u64;
        player.play(batch);
        progress(bytes);
    };
    let (read_damage, unknown) = match ahead {
        true => read_ahead(log, play),
        false => read_between(log, play),
    };
    let mut damage = log.damage.clone();
    damage.extend(read_damage);
    let unknown_records = log.unknown_records + unknown;
    let mut replay = player.finish(!damage.is_empty());
    replay.events = count;
    replay.damage = damage;
    replay.unknown_records = unknown_records;
    replay
}

/// Events that are handed over at once, and how often before the reader waits.
const BATCH: usize = 2048;
const BATCHES: usize = 16;
/// Batches that are given back at once: to wake a reader that waits takes longer than to read one.
const BACK: usize = BATCHES / 2;

/// Reads in turns with `play`; gives what was wrong with the log, and its unknown records.
fn read_between(log: &Log, mut play: impl FnMut(&Batch, u64)) -> (Vec<Damage>, u64) {
    let (mut events, mut batch) = (log.events(), Batch::default());
    loop {
        events.fill(&mut batch, BATCH);
        if batch.steps().is_empty() {
            return (events.damage().to_vec(), events.unknown_records());
        }
        play(&batch, events.bytes_read());
    }
}

/// Reads on another thread, if the system has room for it.
fn read_ahead(log: &Log, mut play: impl FnMut(&Batch, u64)) -> (Vec<Damage>, u64) {
    thread::scope(|scope| {
        let (give, take) = mpsc::channel::<(Batch, u64)>();
        let (give_back, back) = mpsc::channel::<Vec<Batch>>();
        let reader = thread::Builder::new().spawn_scoped(scope, move || {
            let mut events = log.events();
            let mut spare = Vec::from_iter((0..BATCHES).map(|_| Batch::default()));
            loop {
                // Both fail when the other side has panicked, which the scope passes on.
                if spare.is_empty() {
                    spare = back.recv().unwrap_or_default();
                }
                let mut batch = spare.pop().unwrap_or_default();
                events.fill(&mut batch, BATCH);
                let is_last = batch.steps().len() < BATCH;
                if give.send((batch, events.bytes_read())).is_err() || is_last {
                    return (events.damage().to_vec(), events.unknown_records());
                }
            }
        });
        let Ok(reader) = reader else {
            return read_between(log, play);
        };
        let mut done = Vec::with_capacity(BACK);
        for (batch, bytes) in take {
            play(&batch, bytes);
            done.push(batch);
            if done.len() == BACK {
                // Nobody takes them when the reader has come to the end.
                let _ = give_back.send(std::mem::replace(&mut done, Vec::with_capacity(BACK)));
            }
        }
        reader
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

pub fn profile(log: &Log) -> Profile {
    let property = |key: &str| log.properties.get(key).map_or("", String::as_str);
    let mut profile = Profile::of_soc(property("soc"));
    profile.shared_memory = property("run_mode") == "device";
    profile
}
