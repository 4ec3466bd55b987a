//! Findings that are alike, counted.

use std::collections::HashMap;

use aclsan_log::SiteId;
use aclsan_render::model::Count;
use aclsan_rules::{Earlier, Finding, Severity};

use super::sites::Sites;

/// A finding, and how many were like it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedFinding {
    /// The first.
    pub finding: Finding,
    /// How often and when.
    pub count: Count,
    /// Thread of the first; 0 when not known.
    pub thread: u32,
}

/// Same rule, same stack here, same stacks before.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    rule: &'static str,
    severity: Severity,
    here: SiteId,
    earlier: Vec<(Earlier, SiteId)>,
}

/// Findings in the order in which the first of each kind was met.
#[derive(Default)]
pub struct Deduplicator {
    seen: HashMap<Key, usize>,
    folded: Vec<CountedFinding>,
}

impl Deduplicator {
    /// Adds `times` findings alike, met at `ns` by `thread`. Tells the place of the first that was like them, for [`Deduplicator::again`].
    pub fn add(
        &mut self,
        sites: &Sites,
        finding: Finding,
        times: u64,
        ns: u64,
        thread: u32,
    ) -> usize {
        let earlier = finding.earlier.iter();
        let key = Key {
            rule: finding.rule.name,
            severity: finding.severity,
            here: sites.canonical(finding.here),
            earlier: earlier
                .map(|&(what, site)| (what, sites.canonical(site)))
                .collect(),
        };
        match self.seen.get(&key) {
            Some(&at) => {
                self.again(at, times, ns);
                at
            }
            None => {
                let at = self.folded.len();
                self.seen.insert(key, at);
                self.add_apart(finding, times, ns, thread);
                at
            }
        }
    }

    /// Adds `times` findings that are like the one at that place: nobody need make them.
    pub fn again(&mut self, at: usize, times: u64, ns: u64) {
        let count = &mut self.folded[at].count;
        count.times += times;
        count.last_ns = ns;
    }

    /// Adds findings that are like no others, whatever their stacks.
    pub fn add_apart(&mut self, finding: Finding, times: u64, ns: u64, thread: u32) {
        let count = Count {
            times,
            first_ns: ns,
            last_ns: ns,
        };
        self.folded.push(CountedFinding {
            finding,
            count,
            thread,
        });
    }

    /// All of them.
    pub fn finish(self) -> Vec<CountedFinding> {
        self.folded
    }
}
