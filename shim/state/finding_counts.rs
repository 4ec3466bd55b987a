//! Findings so far: which kinds occurred, how many of each severity, and which others they follow from.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_os::lock::{Mutex, MutexGuard, rank};
use aclsan_rules::consequences::{Consequences, Root};
use aclsan_rules::evidence::finding::Finding;
use std::collections::{HashMap, HashSet};

/// Counts of findings.
#[derive(Default)]
pub struct FindingCounts(Mutex<rank::FindingCounts, Found>);

/// The identity of a finding: its rule and its call sites.
type DedupKey = (&'static str, CallSiteId, Vec<CallSiteId>);

/// A root as a consequence names it: its rule, and the call that it is about.
pub type RootName = (&'static str, CallSiteId);

#[derive(Default)]
struct Found {
    counts: HashMap<DedupKey, u64>,
    by_severity: [u64; 3],
    /// Roots that later findings may follow from.
    roots: Consequences<RootName>,
    /// Consequences that were printed, each with the root that it follows from.
    consequences: HashSet<(DedupKey, RootName)>,
    unknown_pointers: HashSet<(CallSiteId, u64)>,
    /// Whether there were more kinds than [`MAX_DISTINCT`].
    is_saturated: bool,
}

/// Kinds of findings that are counted separately, and of consequences that are printed.
const MAX_DISTINCT: usize = 1 << 16;

/// How a finding relates to earlier ones.
#[derive(PartialEq, Eq, Debug)]
pub enum Counted {
    /// The first of its kind.
    New,
    /// A repetition, or one more after the table is saturated.
    Repeated,
    /// It follows from a root again, or from a finding that is ignored. It is not counted.
    Folded,
    /// It follows from this root, for the first time. It is not counted.
    Follows(RootName),
    /// The first that found the table saturated.
    Saturated,
}

impl FindingCounts {
    /// Counts a finding, unless it follows from another. `reached` are further blocks that it may have written.
    pub fn count(&self, finding: &Finding, reached: &[BlockId]) -> Counted {
        let key = key(finding);
        let mut found = self.lock();
        // What also occurs by itself is a finding of its own.
        let is_own = found.counts.contains_key(&key);
        let root = found.roots.root_of(finding).filter(|_| !is_own);
        let own = Root {
            severity: finding.severity,
            handle: Some((finding.rule.name, finding.here)),
        };
        found.roots.remember(finding, root.unwrap_or(own), reached);
        match root {
            Some(root) => found.follows(key, root),
            None => found.count(key, finding),
        }
    }

    /// A finding that the program asked to ignore: what follows from it is not reported either.
    pub fn ignore(&self, finding: &Finding, reached: &[BlockId]) {
        let ignored = Root {
            severity: finding.severity,
            handle: None,
        };
        self.lock().roots.remember(finding, ignored, reached);
    }

    /// The runtime refused the call at `site`: it touched nothing.
    pub fn refused_at(&self, site: CallSiteId) {
        self.lock().roots.refused_at(site);
    }

    /// The runtime refused to release this block.
    pub fn release_refused(&self, block: BlockId) {
        self.lock().roots.release_refused(block);
    }

    /// Whether `block` was kept because the runtime refused its wrong release.
    pub fn has_keeper(&self, block: BlockId) -> bool {
        self.lock().roots.keeper_of(block).is_some()
    }

    /// Counts a pointer whose allocation was not seen.
    pub fn count_unknown_pointer(&self, site: CallSiteId, address: u64) {
        let mut found = self.lock();
        if found.unknown_pointers.len() < 1 << 16 {
            found.unknown_pointers.insert((site, address));
        }
    }

    /// Findings by severity, notes first, and the number of pointers whose allocation was not seen.
    pub fn totals(&self) -> ([u64; 3], usize) {
        let found = self.lock();
        (found.by_severity, found.unknown_pointers.len())
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.0.lock()
    }
}

fn key(finding: &Finding) -> DedupKey {
    let earlier = finding.earlier.iter().map(|&(_, site)| site).collect();
    (finding.rule.name, finding.here, earlier)
}

impl Found {
    fn count(&mut self, key: DedupKey, finding: &Finding) -> Counted {
        let is_saturated = self.counts.len() >= MAX_DISTINCT;
        if is_saturated && !self.counts.contains_key(&key) {
            self.by_severity[finding.severity as usize] += 1; // Counted only; the log has the facts.
            return match std::mem::replace(&mut self.is_saturated, true) {
                true => Counted::Repeated,
                false => Counted::Saturated,
            };
        }
        let count = self.counts.entry(key).or_default();
        *count += 1;
        let is_new = *count == 1;
        self.by_severity[finding.severity as usize] += u64::from(is_new);
        match is_new {
            true => Counted::New,
            false => Counted::Repeated,
        }
    }

    fn follows(&mut self, key: DedupKey, root: Root<RootName>) -> Counted {
        let Some(name) = root.handle else {
            return Counted::Folded;
        };
        let has_room = self.consequences.len() < MAX_DISTINCT;
        match has_room && self.consequences.insert((key, name)) {
            true => Counted::Follows(name),
            false => Counted::Folded,
        }
    }
}
