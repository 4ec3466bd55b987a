//! A baseline: findings of an earlier run, which do not fail this one.
//!
//! It is a JSON report of `aclsan check --json` or `aclsan report --json`. Findings are matched by fingerprint, which survives rebuilds and
//! edits that move lines. Consequences have fingerprints, too: a finding that was counted earlier and follows from another now is known, and so
//! is one of which it is the other way round. Findings of one function that differ only in lines have numbered fingerprints; which of them is new is decided by
//! their messages and lines.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use aclsan_render::Report;
use aclsan_render::model::{Finding, fingerprint};
use anyhow::{Context, bail};
use serde_json::Value;

use crate::io::text_file;

/// Size limit: a report with many findings has some tens of MiB.
const MAX_BYTES: u64 = 256 << 20;

/// The findings of an earlier run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    /// By fingerprint, with consequences.
    findings: Option<HashMap<String, Similarity>>,
    /// Fingerprints of those that were counted. Reports made before there were consequences counted all.
    counted: HashSet<String>,
    /// For findings of this run whose numbered fingerprints are ambiguous: whether the earlier run had them.
    decided: HashMap<String, bool>,
}

/// Hashes of what two findings with equal rule and functions may share, most specific first: message and lines, message, lines.
type Similarity = [u64; 3];

impl Baseline {
    /// Reads a JSON report.
    ///
    /// # Errors
    /// If it cannot be read, is longer than any report, or is no report.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = text_file::read_within(path, MAX_BYTES)
            .with_context(|| format!("cannot read baseline `{name}`"))?;
        let how = "write one with `aclsan check --json LOG… > FILE`";
        let document: Value = serde_json::from_str(&text)
            .with_context(|| format!("baseline `{name}` is no JSON; {how}"))?;
        let Some(findings) = document["findings"].as_array() else {
            bail!("baseline `{name}` has no `findings`: it is no report of aclsan; {how}");
        };
        let consequences = findings
            .iter()
            .filter_map(|finding| finding["consequences"].as_array())
            .flatten();
        let counted = findings
            .iter()
            .filter_map(|finding| finding["fingerprint"].as_str());
        let known = consequences.chain(findings).filter_map(|finding| {
            let fingerprint = finding["fingerprint"].as_str()?;
            Some((fingerprint.to_owned(), similarity(finding)))
        });
        Ok(Self {
            counted: counted.map(str::to_owned).collect(),
            findings: Some(known.collect()),
            decided: HashMap::new(),
        })
    }

    /// Whether a baseline was given.
    pub fn is_given(&self) -> bool {
        self.findings.is_some()
    }

    /// Decides which of `report`'s findings the earlier run had, where it had some of several that only a number distinguishes. How many
    /// are new follows from the fingerprints.
    pub fn match_report(&mut self, report: &Report) {
        let Some(known) = &self.findings else { return };
        let mut groups: HashMap<String, Vec<&Finding>> = HashMap::new();
        // Findings are matched before what follows from others.
        let consequences = report.findings.iter().flat_map(|root| &root.consequences);
        for finding in report.findings.iter().chain(consequences) {
            let functions = fingerprint(finding.rule, &finding.stacks);
            groups.entry(functions).or_default().push(finding);
        }
        for group in groups.into_values() {
            let of_group = group.iter();
            let earlier: Vec<&Similarity> = of_group
                .filter_map(|finding| known.get(&finding.fingerprint))
                .collect();
            if (1..group.len()).contains(&earlier.len()) {
                let is_known = assign(&earlier, &group);
                let prints = group.iter().map(|finding| finding.fingerprint.clone());
                self.decided.extend(prints.zip(is_known));
            }
        }
    }

    /// Whether the earlier run had this finding.
    pub fn knows(&self, finding: &Finding) -> bool {
        self.has(&finding.fingerprint)
    }

    /// Whether the earlier run had it, and all that follows from it and is more severe than it is by itself.
    pub fn accepts(&self, root: &Finding) -> bool {
        let mut consequences = root.consequences.iter();
        self.knows(root)
            && consequences
                .all(|other| other.own_severity <= root.own_severity || self.knows(other))
    }

    fn has(&self, fingerprint: &str) -> bool {
        let decided = self.decided.get(fingerprint).copied();
        decided.unwrap_or_else(|| {
            let known = self.findings.as_ref();
            known.is_some_and(|known| known.contains_key(fingerprint))
        })
    }

    /// Sorts new findings and leaks first, and marks the known ones.
    pub fn new_first(&self, report: &mut Report) {
        if !self.is_given() {
            return;
        }
        report.findings.sort_by_key(|finding| self.accepts(finding));
        let leaks = &mut report.leaks.sites;
        leaks.sort_by_key(|site| self.has(&site.fingerprint));
        let known = report.findings.iter_mut().filter(|one| self.accepts(one));
        known.for_each(|one| one.details.push("the baseline has it".to_owned()));
    }

    /// How many of `report`'s findings it has, and how many of its own are gone: neither findings nor consequences any more.
    pub fn compare(&self, report: &Report) -> Option<(usize, usize)> {
        self.findings.as_ref()?;
        let known = report
            .findings
            .iter()
            .filter(|finding| self.knows(finding))
            .count();
        let here: HashSet<&str> = report
            .each_finding()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        let gone = self
            .counted
            .iter()
            .filter(|known| !here.contains(known.as_str()))
            .count();
        Some((known, gone))
    }
}

/// Matches findings of `group` with the fewer ones of `earlier`: most similar first, and without similarity in the order of
/// the group.
fn assign(earlier: &[&Similarity], group: &[&Finding]) -> Vec<bool> {
    let similarities: Vec<Similarity> = group
        .iter()
        .map(|finding| serde_json::to_value(finding).map_or([0; 3], |finding| similarity(&finding)))
        .collect();
    let mut is_known = vec![false; group.len()];
    let mut left = earlier.to_vec();
    for by in 0..3 {
        left.retain(|earlier| {
            let mut all = similarities.iter().zip(&mut is_known);
            let like = all.find(|(here, is_known)| !**is_known && here[by] == earlier[by]);
            like.map(|(_, is_known)| *is_known = true).is_none()
        });
    }
    let others = is_known.iter_mut().filter(|is_known| !**is_known);
    others
        .take(left.len())
        .for_each(|is_known| *is_known = true);
    is_known
}

/// The hashes of a finding in JSON.
fn similarity(finding: &Value) -> Similarity {
    let stacks = &finding["stacks"];
    let earlier = stacks["earlier"].as_array();
    let traces = std::iter::once(&stacks["here"]).chain(earlier.into_iter().flatten());
    let frames = traces.flat_map(|trace| trace["frames"].as_array().into_iter().flatten());
    let lines: Vec<String> = frames
        .map(|frame| match &frame["line"] {
            Value::Null => frame["offset"].to_string(),
            line => line.to_string(),
        })
        .collect();
    let sentence = finding["message"].as_str();
    [hash(&(sentence, &lines)), hash(&sentence), hash(&lines)]
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_never_ends_is_no_baseline() {
        let error = Baseline::read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "cannot read baseline `/dev/zero`: it has more than 268435456 bytes"
        );
    }
}
