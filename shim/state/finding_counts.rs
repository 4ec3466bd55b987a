//! Findings so far: which kinds occurred, and how many of each severity.

use aclsan_log::CallSiteId;
use aclsan_rules::evidence::finding::Finding;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of findings.
#[derive(Default)]
pub struct FindingCounts(Mutex<Found>);

/// The identity of a finding: its rule and its call sites.
type DedupKey = (&'static str, CallSiteId, Vec<CallSiteId>);

#[derive(Default)]
struct Found {
    counts: HashMap<DedupKey, u64>,
    by_severity: [u64; 3],
    unknown_pointers: HashSet<(CallSiteId, u64)>,
    /// Whether there were more kinds than [`MAX_DISTINCT`].
    is_saturated: bool,
}

/// Kinds of findings that are counted separately.
const MAX_DISTINCT: usize = 1 << 16;

/// How a finding relates to earlier ones.
pub enum Counted {
    /// The first of its kind.
    New,
    /// A repetition, or one more after the table is saturated.
    Repeated,
    /// The first that found the table saturated.
    Saturated,
}

impl FindingCounts {
    /// Counts a finding.
    pub fn count(&self, finding: &Finding) -> Counted {
        let earlier = finding.earlier.iter().map(|&(_, site)| site).collect();
        let mut found = self.lock();
        let is_saturated = found.counts.len() >= MAX_DISTINCT;
        let key = (finding.rule.name, finding.here, earlier);
        if is_saturated && !found.counts.contains_key(&key) {
            found.by_severity[finding.severity as usize] += 1; // Counted only; the log has the facts.
            return match std::mem::replace(&mut found.is_saturated, true) {
                true => Counted::Repeated,
                false => Counted::Saturated,
            };
        }
        let count = found.counts.entry(key).or_default();
        *count += 1;
        let is_new = *count == 1;
        found.by_severity[finding.severity as usize] += u64::from(is_new);
        match is_new {
            true => Counted::New,
            false => Counted::Repeated,
        }
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
