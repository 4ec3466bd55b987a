//! Counts equal findings instead of repeating them.

use std::collections::HashMap;

use aclsan_log::CallSiteId;
use aclsan_render::model::Count;
use aclsan_rules::evidence::finding::{Earlier, Finding};
use aclsan_rules::evidence::rule::Severity;

use super::sites::Sites;

/// A finding and how often it occurred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedFinding {
    /// The first occurrence.
    pub finding: Finding,
    /// How often and when.
    pub count: Count,
    /// Thread of the first occurrence; 0 if unknown.
    pub thread: u32,
}

/// Findings are equal if rule, severity and all stacks are.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    rule: &'static str,
    severity: Severity,
    here: CallSiteId,
    earlier: Vec<(Earlier, CallSiteId)>,
}

/// Findings in order of first occurrence.
#[derive(Default)]
pub struct Deduplicator {
    seen: HashMap<Key, usize>,
    folded: Vec<CountedFinding>,
}

impl Deduplicator {
    /// Adds `times` equal findings, which `thread` had at `ns`. Returns the index of the first one like them, for [`Deduplicator::again`].
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

    /// Adds `times` occurrences of the finding at that index, without building them.
    pub fn again(&mut self, at: usize, times: u64, ns: u64) {
        let count = &mut self.folded[at].count;
        count.times += times;
        count.last_ns = ns;
    }

    /// Adds a finding that is never merged, whatever its stacks.
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

    /// All findings.
    pub fn finish(self) -> Vec<CountedFinding> {
        self.folded
    }
}
