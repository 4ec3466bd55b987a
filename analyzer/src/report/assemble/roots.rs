//! Which findings follow from which, over all processes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::replay::CountedFinding;

/// Findings by their number in the report's deduplicator.
#[derive(Default)]
pub struct Roots {
    /// Those that occurred by themselves in some process.
    own: HashSet<usize>,
    /// The roots of those that followed from others.
    roots: BTreeMap<usize, BTreeSet<usize>>,
}

impl Roots {
    /// Adds the findings of a process, which have these numbers.
    pub fn add(&mut self, findings: &[CountedFinding], numbers: &[usize]) {
        for (folded, &at) in findings.iter().zip(numbers) {
            let roots = folded.roots.iter().map(|&root| numbers[root]);
            self.add_one(at, folded.is_consequence(), roots);
        }
    }

    /// Adds one finding of a process, and its roots if it follows from others.
    pub fn add_one(
        &mut self,
        at: usize,
        is_consequence: bool,
        roots: impl IntoIterator<Item = usize>,
    ) {
        match is_consequence {
            true => self.roots.entry(at).or_default().extend(roots),
            false => drop(self.own.insert(at)),
        }
    }

    /// Whether the finding occurred by itself.
    pub fn is_own(&self, at: usize) -> bool {
        self.own.contains(&at)
    }

    /// The roots of each finding, by places in the report; none for what also occurred by itself.
    pub fn places(self, gone_to: &[usize]) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); gone_to.len()];
        for (at, of) in self.roots {
            if !self.own.contains(&at) {
                places[gone_to[at]] = of.into_iter().map(|root| gone_to[root]).collect();
            }
        }
        places
    }
}
