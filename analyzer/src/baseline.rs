//! A baseline: the findings of an earlier run, which do not fail this one.
//!
//! It is a report in JSON, as `aclsan check --json` or `aclsan report --json` writes it. Findings are known by their fingerprints, which
//! outlive rebuilds and edits that move lines.

use std::collections::HashSet;
use std::path::Path;

use aclsan_render::Report;
use aclsan_render::model::Finding;
use anyhow::{Context, bail};
use serde_json::Value;

use crate::written_text;

/// A report with many findings has some tens of MiB.
const MOST_BYTES: u64 = 256 << 20;

/// What an earlier run had found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    fingerprints: Option<HashSet<String>>,
}

impl Baseline {
    /// Reads a report in JSON.
    ///
    /// # Errors
    /// When it cannot be read, is longer than any report, or is none.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = written_text::read_within(path, MOST_BYTES)
            .with_context(|| format!("cannot read baseline `{name}`"))?;
        let how = "write one with `aclsan check --json LOG… > FILE`";
        let document: Value = serde_json::from_str(&text)
            .with_context(|| format!("baseline `{name}` is no JSON; {how}"))?;
        let Some(findings) = document["findings"].as_array() else {
            bail!("baseline `{name}` has no `findings`: it is no report of aclsan; {how}");
        };
        let fingerprints = findings
            .iter()
            .filter_map(|finding| finding["fingerprint"].as_str());
        Ok(Self {
            fingerprints: Some(fingerprints.map(str::to_owned).collect()),
        })
    }

    /// Whether there is one.
    pub fn is_given(&self) -> bool {
        self.fingerprints.is_some()
    }

    /// Whether the earlier run had found the same.
    pub fn knows(&self, finding: &Finding) -> bool {
        self.has(&finding.fingerprint)
    }

    fn has(&self, fingerprint: &str) -> bool {
        let known = self.fingerprints.as_ref();
        known.is_some_and(|known| known.contains(fingerprint))
    }

    /// Puts what it does not know before what it knows, of which it says so.
    pub fn put_new_first(&self, report: &mut Report) {
        if !self.is_given() {
            return;
        }
        report.findings.sort_by_key(|finding| self.knows(finding));
        let leaks = &mut report.leaks.sites;
        leaks.sort_by_key(|site| self.has(&site.fingerprint));
        let known = report.findings.iter_mut().filter(|one| self.knows(one));
        known.for_each(|one| one.details.push("the baseline has it".to_owned()));
    }

    /// How many of `report`'s findings it knows, and how many of its own are gone.
    pub fn compare(&self, report: &Report) -> Option<(usize, usize)> {
        let fingerprints = self.fingerprints.as_ref()?;
        let known = report
            .findings
            .iter()
            .filter(|finding| self.knows(finding))
            .count();
        let here: HashSet<&str> = report
            .findings
            .iter()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        let gone = fingerprints
            .iter()
            .filter(|known| !here.contains(known.as_str()))
            .count();
        Some((known, gone))
    }
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
