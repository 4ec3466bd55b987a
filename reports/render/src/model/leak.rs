//! Blocks that were never released, by allocation site.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::estimate::Estimate;
use super::finding::Finding;
use super::stack::Trace;
use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::evidence::reachability::Reachability;

/// Number of a site's parts listed by process and thread; the others are listed by age and epoch only.
const MAX_PARTS: usize = 64;

/// All leaks of a report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Leaks {
    /// Total bytes.
    pub bytes: u64,
    /// Total blocks.
    pub blocks: u64,
    /// Bounds of `bytes`, if only a sample of the blocks is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// Bytes that the device's last reset reclaimed.
    pub reclaimed_bytes: u64,
    /// Blocks that the device's last reset reclaimed.
    pub reclaimed_blocks: u64,
    /// Sums by reachability, if scans were made.
    pub classes: Vec<LeakClass>,
    /// The scans for pointers to them.
    pub scans: Vec<LeakScan>,
    /// By allocating call, the most bytes first.
    pub sites: Vec<LeakSite>,
}

/// Leaked blocks of one class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakClass {
    /// [`LeakSite::class`].
    pub class: &'static str,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A scan of a process's memory, at its end, for pointers to live blocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakScan {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// `whole`, `cut short` or `failed`.
    pub outcome: &'static str,
    /// Bytes read.
    pub bytes: u64,
    /// Duration.
    pub ns: u64,
    /// Other threads of the process.
    pub threads: u32,
    /// What it could not look into.
    pub gaps: Vec<ScanGap>,
}

/// What a scan could not look into.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ScanGap {
    /// `threads` that could not be stopped, an allocator, or `glibc` for heaps of its that could not be taken apart.
    pub what: &'static str,
    /// Threads, or the blocks that count as reachable because of an allocator's memory.
    pub count: u64,
}

/// The leaked blocks of one call, in one process or in several alike.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct LeakSite {
    /// The first process.
    pub pid: u32,
    /// Every process that had them. A number appears twice if two of them share it.
    pub pids: Vec<u32>,
    /// Their indices in the report, in the same order.
    pub processes: Vec<usize>,
    /// How many were merged: calls on one line, or the same call in several processes.
    #[serde(skip)]
    pub alike: u64,
    /// Fingerprint of the finding about it; empty if no rule reports it.
    pub fingerprint: String,
    /// The rule of the finding that this leak follows from, and where that is.
    #[serde(skip)]
    pub root: Option<(&'static str, String)>,
    /// Bytes.
    pub bytes: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bounds of `bytes`, if only a sample of the blocks is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// What they are computed from.
    #[serde(skip)]
    pub spread: Spread,
    /// Bytes of the largest block.
    pub largest_bytes: u64,
    /// Age of the youngest block at the end.
    pub youngest_ns: u64,
    /// Age of the oldest block at the end.
    pub oldest_ns: u64,
    /// The family that the blocks belong to.
    pub family: &'static str,
    /// Their device, −1 if unknown.
    pub device: i32,
    /// The thread that allocated the oldest block.
    pub thread: u32,
    /// Its name, if it had one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// The program's names for them, the first few.
    pub names: Vec<String>,
    /// `lost`, `still reachable`, `kept for the process`; `unknown` without a scan that can tell.
    pub class: &'static str,
    /// Whether the device's last reset reclaimed them.
    pub is_reclaimed: bool,
    /// The call that allocated them.
    pub allocated: Trace,
    /// By thread, age and epoch.
    pub parts: Vec<LeakPart>,
}

/// Stands for the epochs of a program beyond those that are kept.
pub const LATER_EPOCHS: &str = "later epochs, not kept";

/// A part of a site's leaked blocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakPart {
    /// The process; 0 for the sum of the remaining ones.
    pub pid: u32,
    /// Index of the process in the report; `None` for that sum.
    pub process: Option<usize>,
    /// The thread that allocated them.
    pub thread: u32,
    /// Upper limit of their age at the end: a power of ten, from one millisecond on.
    pub below_ns: u64,
    /// The epoch of their allocation; empty for none, `later epochs, not kept` after those that are listed.
    pub epoch: String,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Leaks {
    /// Sums and sorts sites. Sites with the same finding are merged.
    pub fn new(all: Vec<LeakSite>) -> Self {
        let mut sites: Vec<LeakSite> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for site in all {
            let is_alone = site.fingerprint.is_empty();
            match known.get(&site.fingerprint).filter(|_| !is_alone) {
                Some(&at) => sites[at].absorb(&site),
                None => {
                    known.insert(site.fingerprint.clone(), sites.len());
                    sites.push(site);
                }
            }
        }
        sites.sort_by_key(|site| (std::cmp::Reverse(site.bytes), site.pid));
        Self::sum(sites)
    }

    /// The site that a finding is about, if any.
    pub fn of(&self, finding: &Finding) -> Option<&LeakSite> {
        self.position(finding).map(|at| &self.sites[at])
    }

    /// The index of the site that a finding is about, if any.
    pub fn position(&self, finding: &Finding) -> Option<usize> {
        let mut sites = self.sites.iter();
        sites.position(|site| site.fingerprint == finding.fingerprint)
    }

    /// Removes what the finding with that fingerprint is about; returns its bytes.
    pub fn forget(&mut self, fingerprint: &str) -> u64 {
        let before = self.bytes;
        let mut sites = std::mem::take(&mut self.sites);
        sites.retain(|site| site.fingerprint != fingerprint);
        let scans = std::mem::take(&mut self.scans);
        *self = Self {
            scans,
            ..Self::sum(sites)
        };
        before - self.bytes
    }

    fn sum(mut sites: Vec<LeakSite>) -> Self {
        let mut spread = Spread::default();
        for site in &mut sites {
            site.estimate = Estimate::of(site.bytes, &site.spread);
            spread.absorb(&site.spread);
        }
        let sum = |of: fn(&LeakSite) -> u64, only: bool| {
            let chosen = sites.iter().filter(|site| site.is_reclaimed || !only);
            chosen.fold(0, |sum: u64, site| sum.saturating_add(of(site)))
        };
        let bytes = sum(|site| site.bytes, false);
        Self {
            bytes,
            blocks: sum(|site| site.blocks, false),
            estimate: Estimate::of(bytes, &spread),
            reclaimed_bytes: sum(|site| site.bytes, true),
            reclaimed_blocks: sum(|site| site.blocks, true),
            classes: classes(&sites),
            scans: Vec::new(),
            sites,
        }
    }
}

/// Sums by class, lost blocks first; empty if every class is unknown.
fn classes(sites: &[LeakSite]) -> Vec<LeakClass> {
    const ORDER: [Reachability; 4] = [
        Reachability::Lost,
        Reachability::Unknown,
        Reachability::Reachable,
        Reachability::Cache,
    ];
    let is_reported = sites
        .iter()
        .any(|site| site.class != Reachability::Unknown.name());
    let of = |hold: Reachability| {
        let alike = sites.iter().filter(|site| site.class == hold.name());
        alike.fold((0, 0), |(blocks, bytes): (u64, u64), site| {
            (blocks + site.blocks, bytes.saturating_add(site.bytes))
        })
    };
    let sums = ORDER.into_iter().filter(|_| is_reported).map(|hold| {
        let (blocks, bytes) = of(hold);
        LeakClass {
            class: hold.name(),
            blocks,
            bytes,
        }
    });
    sums.filter(|class| class.blocks > 0).collect()
}

impl LeakSite {
    /// How many threads of the first process allocated them.
    pub fn threads(&self) -> usize {
        let first = self.processes.first().copied();
        let parts = self.parts.iter().filter(|part| part.process == first);
        parts.map(|part| part.thread).collect::<HashSet<_>>().len()
    }

    fn add_part(&mut self, part: &LeakPart) {
        if self.parts.len() < MAX_PARTS {
            self.parts.push(part.clone());
            return;
        }
        // With hundreds of processes, nobody asks for each thread: the age of blocks and their epoch remain.
        let alike = |known: &LeakPart| {
            known.process.is_none()
                && (known.below_ns, &known.epoch) == (part.below_ns, &part.epoch)
        };
        match self.parts.iter_mut().find(|known| alike(known)) {
            Some(known) => {
                known.blocks += part.blocks;
                known.bytes = known.bytes.saturating_add(part.bytes);
            }
            None => self.parts.push(LeakPart {
                pid: 0,
                process: None,
                thread: 0,
                ..part.clone()
            }),
        }
    }

    /// Merges the same site of another process.
    pub fn absorb(&mut self, other: &Self) {
        self.alike += other.alike;
        for (&process, &pid) in other.processes.iter().zip(&other.pids) {
            if self.processes.last() != Some(&process) {
                self.processes.push(process);
                self.pids.push(pid);
            }
        }
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.blocks += other.blocks;
        self.spread.absorb(&other.spread);
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
        self.youngest_ns = self.youngest_ns.min(other.youngest_ns);
        self.oldest_ns = self.oldest_ns.max(other.oldest_ns);
        for part in &other.parts {
            self.add_part(part);
        }
        for name in &other.names {
            if !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
    }
}
