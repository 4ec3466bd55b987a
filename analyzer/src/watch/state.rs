//! Watched processes at one moment: plain data, for a screen, a scraper or a script.

use aclsan_render::model::{Held, Trace};
use serde_json::{Value, json};

use super::totals::Totals;
use crate::io::language::localized;

/// A name and its values.
pub type NamedHistory = (String, Vec<u64>);

/// All processes.
#[derive(Clone, Default, Debug)]
pub struct State {
    /// The processes, in the order in which they were found: their numbers rise.
    pub processes: Vec<Process>,
    /// Allocation sites of all processes.
    pub sites: Vec<Site>,
    /// Findings of all processes.
    pub findings: Vec<Finding>,
    /// Why some of the files are not followed.
    pub unreadable: Vec<String>,
    /// Sums over processes that have ended and were forgotten.
    pub forgotten: Totals,
}

/// How a process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// It runs.
    Runs,
    /// It ended as programs should, by its exit handlers.
    Exited,
    /// It is gone without: killed, or left by `_exit`.
    Gone,
    /// It runs on another machine, or its memory cannot be looked at.
    Unknown,
}

impl Life {
    /// As JSON and metrics have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Exited => "exited",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
        }
    }
}

/// One process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Tells it apart from all others that were ever followed.
    pub number: usize,
    /// Its number in the system.
    pub pid: u32,
    /// Its log.
    pub log: String,
    /// The program's name.
    pub program: String,
    /// How it is.
    pub life: Life,
    /// The signal that ended it, if its log says so.
    pub signal: Option<i32>,
    /// From the log's start until now, or to its last event.
    pub duration_ns: u64,
    /// Events read.
    pub events: u64,
    /// Whether more is in the log already.
    pub is_behind: bool,
    /// By device.
    pub devices: Vec<Device>,
    /// By family; those that were used.
    pub families: Vec<Family>,
    /// What memory is for, as far as the program said.
    pub categories: Vec<Held>,
    /// Pools by name and device, most live bytes first.
    pub pools: Vec<Held>,
    /// Live bytes of each device and of each family over time, evenly spaced.
    pub histories: Vec<NamedHistory>,
    /// Live device bytes over time, evenly spaced.
    pub history: Vec<u64>,
    /// Allocations and releases a second, lately.
    pub rates: (f64, f64),
    /// Calls, and those that the runtime refused.
    pub calls: (u64, u64),
    /// Events that could not be recorded.
    pub lost: u64,
    /// Occurrences of findings that suppressions cover.
    pub suppressed: u64,
    /// Device and pinned memory per recorded block: sums over blocks are estimates; 0 if all blocks are recorded.
    pub block_sample: u64,
}

/// The memory of one device.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Its number, −1 if unknown.
    pub device: i32,
    /// Live bytes.
    pub live: u64,
    /// Most bytes live at once, and when.
    pub peak: (u64, u64),
    /// Free bytes and all bytes that the runtime reported last.
    pub runtime: Option<(u64, u64)>,
}

/// The memory of one family.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Live bytes.
    pub live: u64,
    /// Most bytes live at once.
    pub peak: u64,
    /// Blocks allocated and released.
    pub blocks: (u64, u64),
}

/// Names a site across states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteKey {
    /// Number of the process.
    pub process: usize,
    /// Its number in the log.
    pub site: u32,
}

/// One allocation site, and its live blocks.
#[derive(Clone, Debug)]
pub struct Site {
    /// Which.
    pub key: SiteKey,
    /// Function, file and line of its caller.
    pub label: String,
    /// The AscendCL function.
    pub call: String,
    /// The caller's function, file and module, as far as they are known.
    pub place: (String, String, String),
    /// Name of the family.
    pub family: &'static str,
    /// Its device, −1 if unknown.
    pub device: i32,
    /// Live bytes and blocks.
    pub live: (u64, u64),
    /// Most bytes live at once.
    pub peak: u64,
    /// Allocations and their bytes, and releases.
    pub allocated: (u64, u64, u64),
    /// Bytes added a minute, and how sure that is; `None` if it does not grow, or it is too early to say.
    pub growth: Option<(u64, &'static str)>,
    /// Allocations a second, lately.
    pub rate: f64,
    /// Age of its oldest live block, and the size of its largest.
    pub oldest_ns: Option<u64>,
    /// The size of its largest live block.
    pub largest: Option<u64>,
    /// Live bytes and blocks by thread and by epoch, as far as they were counted.
    pub threads: Vec<(String, u64, u64)>,
    /// The same by epoch.
    pub epochs: Vec<(String, u64, u64)>,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Number of the process.
    pub process: usize,
    /// Tells it apart from others of the process.
    pub number: usize,
    /// Its rule.
    pub rule: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Its sentence.
    pub message: String,
    /// Where.
    pub place: String,
    /// How often.
    pub times: u64,
    /// When first.
    pub first_ns: u64,
    /// Whether it follows from another.
    pub is_consequence: bool,
}

/// Everything about one site.
#[derive(Clone, Debug)]
pub struct Detail {
    /// Its stack, with source.
    pub trace: Trace,
    /// Its largest live blocks.
    pub blocks: Vec<ListedBlock>,
    /// Lifetimes of released blocks: how many, and the 50th, 90th and 100th percentile.
    pub lifetimes: (u64, [u64; 3]),
    /// Live blocks and bytes by age: below 1 s, 10 s, 1 min, 10 min, 1 h, and older.
    pub ages: [(u64, u64); 6],
}

/// A live block: address, bytes, age, thread, name.
pub type ListedBlock = (u64, u64, u64, u32, Option<String>);

/// Upper bounds of [`Detail::ages`], in seconds.
pub const AGES: [u64; 5] = [1, 10, 60, 600, 3600];

impl State {
    /// Findings that follow from no other, by severity: errors, warnings, notes.
    pub fn tally(&self) -> [u64; 3] {
        let of = |severity: &str| {
            let own = self.findings.iter().filter(|one| !one.is_consequence);
            own.filter(|one| one.severity == severity).count() as u64
        };
        ["error", "warning", "note"].map(of)
    }

    /// The index of the process with this number.
    pub fn index(&self, number: usize) -> Option<usize> {
        let found = self
            .processes
            .binary_search_by_key(&number, |process| process.number);
        found.ok()
    }

    /// As JSON, with the sites that have most live bytes first. Processes are referred to by their index.
    pub fn json(&self) -> Value {
        let mut sites: Vec<&Site> = self.sites.iter().collect();
        sites.sort_by_key(|site| (std::cmp::Reverse(site.live.0), site.key));
        json!({
            "processes": self.processes.iter().map(Process::json).collect::<Vec<_>>(),
            "sites": sites.into_iter().map(|site| site.json(self)).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(|found| found.json(self)).collect::<Vec<_>>(),
            "unreadable": self.unreadable,
            "forgotten": self.forgotten.json(),
        })
    }
}

impl Process {
    /// Adds what it and its findings counted to `totals`.
    pub fn sum_into<'a>(
        &self,
        totals: &mut Totals,
        findings: impl IntoIterator<Item = &'a Finding>,
    ) {
        totals.processes += 1;
        for family in &self.families {
            let sum = totals.families.entry(family.name).or_default();
            sum.0 = sum.0.saturating_add(family.blocks.0);
            sum.1 = sum.1.saturating_add(family.blocks.1);
        }
        totals.calls.0 = totals.calls.0.saturating_add(self.calls.0);
        totals.calls.1 = totals.calls.1.saturating_add(self.calls.1);
        totals.lost = totals.lost.saturating_add(self.lost);
        totals.suppressed = totals.suppressed.saturating_add(self.suppressed);
        for found in findings.into_iter().filter(|found| !found.is_consequence) {
            let sum = totals.findings.entry((found.rule, found.severity));
            let sum = sum.or_default();
            *sum = sum.saturating_add(found.times);
        }
    }

    /// How it is, for a person.
    pub fn sentence(&self) -> String {
        localized(&match (self.life, self.signal) {
            (Life::Runs, _) => "runs".to_owned(),
            (Life::Exited, _) => "has exited".to_owned(),
            (Life::Gone, Some(signal)) => format!("was ended by signal {signal}"),
            (Life::Gone, None) => "was killed, or left by `_exit`".to_owned(),
            (Life::Unknown, _) => "runs elsewhere, or its memory cannot be looked at".to_owned(),
        })
    }

    fn json(&self) -> Value {
        let devices = self.devices.iter().map(|of| {
            json!({
                "device": of.device,
                "live_bytes": of.live,
                "peak_bytes": of.peak.0,
                "peak_ns": of.peak.1,
                "runtime_free_bytes": of.runtime.map(|(free, _)| free),
                "runtime_total_bytes": of.runtime.map(|(_, total)| total),
            })
        });
        let families = self.families.iter().map(|of| {
            json!({
                "family": of.name,
                "live_bytes": of.live,
                "peak_bytes": of.peak,
                "allocations": of.blocks.0,
                "releases": of.blocks.1,
            })
        });
        let held = |list: &[Held], name: &str| {
            let list = list.iter().map(|of| {
                json!({
                    name: of.name,
                    "device": of.device,
                    "live_bytes": of.live,
                    "peak_bytes": of.peak,
                    "live_blocks": of.blocks,
                })
            });
            list.collect::<Vec<_>>()
        };
        json!({
            "pid": self.pid,
            "log": self.log,
            "program": self.program,
            "state": self.life.name(),
            "signal": self.signal,
            "duration_ns": self.duration_ns,
            "events": self.events,
            "is_behind": self.is_behind,
            "devices": devices.collect::<Vec<_>>(),
            "families": families.collect::<Vec<_>>(),
            "categories": held(&self.categories, "category"),
            "pools": held(&self.pools, "pool"),
            "allocations_per_second": self.rates.0,
            "releases_per_second": self.rates.1,
            "calls": self.calls.0,
            "refused_calls": self.calls.1,
            "lost_events": self.lost,
            "suppressed_findings": self.suppressed,
            "block_sample": self.block_sample,
        })
    }
}

impl Site {
    fn json(&self, of: &State) -> Value {
        json!({
            "process": of.index(self.key.process),
            "site": self.key.site,
            "label": self.label,
            "call": self.call,
            "function": self.place.0,
            "file": self.place.1,
            "module": self.place.2,
            "family": self.family,
            "device": self.device,
            "live_bytes": self.live.0,
            "live_blocks": self.live.1,
            "peak_bytes": self.peak,
            "allocations": self.allocated.0,
            "allocated_bytes": self.allocated.1,
            "releases": self.allocated.2,
            "growth_bytes_per_minute": self.growth.map(|(bytes, _)| bytes),
            "growth_confidence": self.growth.map(|(_, sure)| sure),
            "allocations_per_second": self.rate,
            "oldest_ns": self.oldest_ns,
            "largest_bytes": self.largest,
        })
    }
}

impl Finding {
    fn json(&self, of: &State) -> Value {
        json!({
            "process": of.index(self.process),
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "place": self.place,
            "count": self.times,
            "first_ns": self.first_ns,
            "is_consequence": self.is_consequence,
        })
    }
}
