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
    /// How often it occurred by itself.
    pub own: u64,
    /// Indices of the findings that it followed from otherwise.
    pub roots: Vec<usize>,
}

impl CountedFinding {
    /// It follows from the finding at index `root`, each time.
    pub fn follow(&mut self, root: usize) {
        (self.own, self.roots) = (0, vec![root]);
    }

    /// Whether it only ever followed from others.
    pub fn is_consequence(&self) -> bool {
        self.own == 0 && !self.roots.is_empty()
    }
}

/// Findings are equal if rule, severity and all stacks are.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    rule: &'static str,
    severity: Severity,
    here: CallSiteId,
    earlier: Vec<(Earlier, CallSiteId)>,
}

impl Key {
    fn of(sites: &Sites, finding: &Finding) -> Self {
        let earlier = finding.earlier.iter();
        Self {
            rule: finding.rule.name,
            severity: finding.severity,
            here: sites.canonical(finding.here),
            earlier: earlier
                .map(|&(what, site)| (what, sites.canonical(site)))
                .collect(),
        }
    }
}

/// Roots that a consequence names at most.
const MAX_ROOTS: usize = 16;

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
        finding: &Finding,
        times: u64,
        ns: u64,
        thread: u32,
    ) -> usize {
        let at = self.place(sites, finding, times, ns, thread);
        self.folded[at].own += times;
        at
    }

    /// Adds `times` equal findings that follow from the finding at index `root`. A kind that also occurs by itself stays a finding of its
    /// own.
    pub fn add_consequence(
        &mut self,
        sites: &Sites,
        root: usize,
        finding: &Finding,
        (times, ns, thread): (u64, u64, u32),
    ) {
        let at = self.place(sites, finding, times, ns, thread);
        let roots = &mut self.folded[at].roots;
        if at != root && !roots.contains(&root) && roots.len() < MAX_ROOTS {
            roots.push(root);
        }
    }

    fn place(
        &mut self,
        sites: &Sites,
        finding: &Finding,
        times: u64,
        ns: u64,
        thread: u32,
    ) -> usize {
        let key = Key::of(sites, finding);
        match self.seen.get(&key) {
            Some(&at) => {
                let count = &mut self.folded[at].count;
                count.times += times;
                count.last_ns = ns;
                at
            }
            None => {
                let at = self.folded.len();
                self.seen.insert(key, at);
                let mut finding = finding.clone();
                finding.here = sites.whole(finding.here);
                for (_, site) in &mut finding.earlier {
                    *site = sites.whole(*site);
                }
                self.add_apart(finding, times, ns, thread);
                self.folded[at].own = 0;
                at
            }
        }
    }

    /// Adds `times` occurrences of the finding at that index, without building them.
    pub fn again(&mut self, at: usize, times: u64, ns: u64) {
        let known = &mut self.folded[at];
        known.own += times;
        known.count.times += times;
        known.count.last_ns = ns;
    }

    /// Whether a finding like this has occurred by itself.
    pub fn is_own(&self, sites: &Sites, finding: &Finding) -> bool {
        let at = self.seen.get(&Key::of(sites, finding));
        at.is_some_and(|&at| self.folded[at].own > 0)
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
            own: times,
            roots: Vec::new(),
        });
    }

    /// The findings so far.
    pub fn list(&self) -> &[CountedFinding] {
        &self.folded
    }

    /// All findings.
    pub fn finish(self) -> Vec<CountedFinding> {
        self.folded
    }
}

/// Drops findings, and returns the new index of each. What followed from dropped findings alone is a finding of its own.
pub fn retain(
    findings: &mut Vec<CountedFinding>,
    is_kept: impl Fn(&Finding) -> bool,
) -> Vec<Option<usize>> {
    let mut kept = 0;
    let places: Vec<Option<usize>> = findings
        .iter()
        .map(|folded| {
            is_kept(&folded.finding).then(|| {
                kept += 1;
                kept - 1
            })
        })
        .collect();
    findings.retain(|folded| is_kept(&folded.finding));
    for folded in findings {
        let roots = folded.roots.iter().filter_map(|&root| places[root]);
        folded.roots = roots.collect();
        if folded.own == 0 && folded.roots.is_empty() {
            folded.own = folded.count.times;
        }
    }
    places
}
