//! Blocks that nobody released, by the place that allocated them.

use std::collections::HashMap;

use serde::Serialize;

use super::finding::Finding;
use super::stack::Trace;
use aclsan_rules::evidence::reachability::Reachability;

/// Parts of a site by process and thread; of further ones only age and epoch are told.
const PARTS_MOST: usize = 64;

/// All leaks of a report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Leaks {
    /// Bytes in all.
    pub bytes: u64,
    /// Blocks in all.
    pub blocks: u64,
    /// Of the bytes, those that the device's last reset took back.
    pub reclaimed_bytes: u64,
    /// Of the blocks, those that the device's last reset took back.
    pub reclaimed_blocks: u64,
    /// What is known of pointers to them, where scans were made.
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

/// A process's memory was looked through for pointers to what was live at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakScan {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// `whole`, `cut short` or `failed`.
    pub outcome: &'static str,
    /// Bytes that were read.
    pub bytes: u64,
    /// How long it took.
    pub ns: u64,
    /// Other threads that ran meanwhile.
    pub threads: u32,
}

/// The leaked blocks that one call allocated, in one process or alike in several.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakSite {
    /// The first process.
    pub pid: u32,
    /// Every process that had them; a number stands there twice where two of them share it.
    pub pids: Vec<u32>,
    /// The same by their places in the report, in that order.
    pub processes: Vec<usize>,
    /// How many were alike and became one: calls of one line, or the same call of several processes.
    #[serde(skip)]
    pub alike: u64,
    /// The finding about it; empty when no rule holds it against the program.
    pub fingerprint: String,
    /// Bytes.
    pub bytes: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes of the largest block.
    pub largest_bytes: u64,
    /// How long the youngest block had lived at the end.
    pub youngest_ns: u64,
    /// How long the oldest block had lived at the end.
    pub oldest_ns: u64,
    /// The family that owns them.
    pub family: &'static str,
    /// Their device, −1 when not known.
    pub device: i32,
    /// The thread that allocated the oldest.
    pub thread: u32,
    /// What the program calls them, the first few.
    pub names: Vec<String>,
    /// `lost`, `still reachable`, `kept for the process`; `unknown` where no scan tells.
    pub class: &'static str,
    /// Whether the device's last reset took them back.
    pub is_reclaimed: bool,
    /// The call that allocated them.
    pub allocated: Trace,
    /// By thread, age and epoch.
    pub parts: Vec<LeakPart>,
}

/// What stands for the epochs of a program that told of more than are kept.
pub const LATER_EPOCHS: &str = "later epochs, not kept";

/// A part of a site's leaked blocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakPart {
    /// The process; 0 for the sum of further ones.
    pub pid: u32,
    /// Its place among the processes, from 0; `None` for that sum.
    pub process: Option<usize>,
    /// The thread that allocated them.
    pub thread: u32,
    /// Younger than this at the end: a power of ten from a millisecond on.
    pub below_ns: u64,
    /// The epoch that they were allocated in; empty for none, `later epochs, not kept` behind those that are listed.
    pub epoch: String,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Leaks {
    /// Sums up sites and sorts them. Sites that one finding is about are alike, and become one.
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

    /// The site that a finding is about, if it is about one.
    pub fn of(&self, finding: &Finding) -> Option<&LeakSite> {
        let mut sites = self.sites.iter();
        sites.find(|site| site.fingerprint == finding.fingerprint)
    }

    /// Takes out what the finding of that fingerprint is about; gives its bytes.
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

    fn sum(sites: Vec<LeakSite>) -> Self {
        let sum = |of: fn(&LeakSite) -> u64, only: bool| {
            let chosen = sites.iter().filter(|site| site.is_reclaimed || !only);
            chosen.fold(0, |sum: u64, site| sum.saturating_add(of(site)))
        };
        Self {
            bytes: sum(|site| site.bytes, false),
            blocks: sum(|site| site.blocks, false),
            reclaimed_bytes: sum(|site| site.bytes, true),
            reclaimed_blocks: sum(|site| site.blocks, true),
            classes: classes(&sites),
            scans: Vec::new(),
            sites,
        }
    }
}

/// Sums by class, what is lost first; none where every class is unknown.
fn classes(sites: &[LeakSite]) -> Vec<LeakClass> {
    const ORDER: [Reachability; 4] = [
        Reachability::Lost,
        Reachability::Unknown,
        Reachability::Reachable,
        Reachability::Cache,
    ];
    let is_told = sites
        .iter()
        .any(|site| site.class != Reachability::Unknown.name());
    let of = |hold: Reachability| {
        let alike = sites.iter().filter(|site| site.class == hold.name());
        alike.fold((0, 0), |(blocks, bytes): (u64, u64), site| {
            (blocks + site.blocks, bytes.saturating_add(site.bytes))
        })
    };
    let sums = ORDER.into_iter().filter(|_| is_told).map(|hold| {
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
    fn add_part(&mut self, part: &LeakPart) {
        if self.parts.len() < PARTS_MOST {
            self.parts.push(part.clone());
            return;
        }
        // Of hundreds of processes nobody asks for each thread: what is left of them is how old their blocks were, and in which epoch.
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

    /// Takes in the same site of another process.
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
