//! The state of a process that still runs, from its log as far as it is written.
//!
//! The same replay as that of a finished log: the same rules, the same accounting. Nothing here is called a leak, as a release may follow.

use std::collections::BTreeMap;

use aclsan_log::batch::Batch;
use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::{Held, LINES, Point};
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::evidence::trend::{Confidence, Trend};
use aclsan_rules::trackers::heap::LiveBlock;

use super::player::{NO_END, Player};
use super::sites::growth::Sample;
use super::{CountedFinding, FamilyTotals, Replay, SiteStats};

const MINUTE_NS: f64 = 60e9;

/// A replay in progress.
pub struct Living(Player);

/// One allocation site, and its live blocks.
#[derive(Clone, Copy, Debug)]
pub struct LiveSite<'a> {
    /// Its number: see [`Living::canonical`].
    pub site: CallSiteId,
    /// Its first block.
    pub first: LiveBlock,
    /// Its numbers.
    pub stats: &'a SiteStats,
}

impl Living {
    /// Nothing has happened yet.
    pub fn new(log: &Log) -> Self {
        Self(Player::new(log, super::profile(log)))
    }

    /// Plays what a log has more, after [`Living::learn`].
    pub fn play(&mut self, batch: &Batch) {
        self.0.play(batch);
    }

    /// Takes over what the log defines since.
    pub fn learn(&mut self, log: &Log) {
        self.0.learn(log);
    }

    /// Time of the last event.
    pub fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }

    /// Whether the program's end is on record.
    pub fn has_ended(&self) -> bool {
        self.0.has_ended()
    }

    /// By family, in the order of `Family::MEMORY`.
    pub fn families(&mut self) -> [FamilyTotals; LINES] {
        self.0.usage().families
    }

    /// By device: live bytes, their peak, and when it was.
    pub fn devices(&mut self) -> BTreeMap<i32, (u64, u64, u64)> {
        let devices = self.0.usage().devices.iter();
        devices.map(|(device, of)| (device, of.all())).collect()
    }

    /// What categories and pools hold.
    pub fn held(&self) -> (Vec<Held>, Vec<Held>) {
        self.0.held()
    }

    /// Live bytes over time.
    pub fn points(&mut self) -> Vec<Point> {
        self.0.usage().timelines.points()
    }

    /// The same of each device, if there are several.
    pub fn device_points(&mut self) -> Vec<(i32, Vec<Point>)> {
        self.0.usage().timelines.device_points()
    }

    /// By device: the free bytes that the runtime reported last, and all bytes.
    pub fn runtime_memory(&self) -> BTreeMap<i32, (u64, u64)> {
        self.0.runtime_memory().collect()
    }

    /// Sites that allocated memory.
    pub fn sites(&mut self) -> impl Iterator<Item = LiveSite<'_>> {
        let list = self.0.usage().site_stats.list.iter();
        (0..).map(CallSiteId).zip(list).filter_map(|(site, stats)| {
            let first = stats.first.filter(|_| stats.allocated.blocks > 0)?;
            Some(LiveSite { site, first, stats })
        })
    }

    /// How the live bytes of a site grow, in bytes a minute, and how surely; `None` if it is too early to say, or they do not.
    pub fn growth(&self, site: CallSiteId) -> Option<(u64, Confidence)> {
        let (slice_ns, samples) = self.0.slices();
        let of_site = |sample: &Sample| sample.bytes().get(site.0 as usize).copied().unwrap_or(0);
        let series: Vec<u64> = samples.iter().map(of_site).collect();
        let trend = Trend::of(&series).filter(Trend::is_steady)?;
        let per_minute = trend.slope * MINUTE_NS / slice_ns as f64;
        Some((per_minute as u64, trend.confidence(false)))
    }

    /// The site under which the blocks of `site` are counted.
    pub fn canonical(&self, site: CallSiteId) -> CallSiteId {
        self.0.canonical(site)
    }

    /// Blocks of memory and handles that are live now.
    pub fn blocks(&self) -> impl Iterator<Item = LiveBlock> {
        self.0.live()
    }

    /// The name that the program gave a block.
    pub fn block_name(&self, held: &LiveBlock) -> Option<&str> {
        self.0.block_name(held)
    }

    /// The number of the epoch at `ns`, from 1; 0 for none.
    pub fn epoch_at(&self, ns: u64) -> u32 {
        self.0.epoch_at(ns)
    }

    /// Findings by now, in order of their first occurrence. Leaks and waste are not among them: they are judged at the end.
    pub fn findings(&self) -> &[CountedFinding] {
        self.0.findings()
    }

    /// Calls, and those that the runtime refused.
    pub fn calls(&self) -> (u64, u64) {
        (self.0.calls(), self.0.refusals())
    }

    /// Events that could not be written.
    pub fn lost(&self) -> u64 {
        self.0.lost()
    }
}

/// Detail of what a process holds that still runs.
pub const STILL_RUNS: &str = "the program still runs, so it may be released yet";

impl Replay {
    /// Says of what a process holds that it is live, not that it was never released: the process still runs. Growth is reported as ever.
    pub fn still_runs(&mut self) {
        self.is_running = true;
        for folded in &mut self.findings {
            let finding = &mut folded.finding;
            let Some(doubt) = finding.details.iter_mut().find(|detail| *detail == NO_END) else {
                continue;
            };
            STILL_RUNS.clone_into(doubt);
            finding.severity = Severity::Note;
            for (never, now) in [
                (" was never ", " is live now"),
                (" were never ", " are live now"),
            ] {
                if let Some((what, _)) = finding.message.split_once(never) {
                    finding.message = format!("{what}{now}");
                    break;
                }
            }
            finding.runtime.clear();
            "watch with `aclsan top` whether it grows".clone_into(&mut finding.instead);
        }
    }
}
