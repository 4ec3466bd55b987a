//! Findings so far: which were found before, and how many of each severity.

use aclsan_log::CallSiteId;
use aclsan_rules::evidence::finding::Finding;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was found so far.
#[derive(Default)]
pub struct FindingCounts(Mutex<Found>);

/// What makes two findings one: the rule and the stacks.
type DedupKey = (&'static str, CallSiteId, Vec<CallSiteId>);

#[derive(Default)]
struct Found {
    counts: HashMap<DedupKey, u64>,
    by_severity: [u64; 3],
    unknown_pointers: HashSet<(CallSiteId, u64)>,
    /// Whether there were more than [`MAX_DISTINCT`].
    is_saturated: bool,
}

/// Findings that are told apart.
const MAX_DISTINCT: usize = 1 << 16;

/// What a finding is to those before it.
pub enum Counted {
    /// The first of its kind.
    New,
    /// One more of its kind, or of those that are not told apart.
    Repeated,
    /// The first that is not told apart from others.
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
            found.by_severity[finding.severity as usize] += 1; // Counted; the log has the facts.
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

    /// Counts a pointer that nobody saw allocated.
    pub fn count_unknown_pointer(&self, site: CallSiteId, address: u64) {
        let mut found = self.lock();
        if found.unknown_pointers.len() < 1 << 16 {
            found.unknown_pointers.insert((site, address));
        }
    }

    /// Findings by severity, notes first, and pointers that nobody saw allocated.
    pub fn totals(&self) -> ([u64; 3], usize) {
        let found = self.lock();
        (found.by_severity, found.unknown_pointers.len())
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
