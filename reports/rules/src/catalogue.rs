//! The ordered list of rules: the only place that names them all.

use crate::rules;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; never fails a build by default.
    Note,
    /// Works today; documented as wrong, wasteful or version-dependent.
    Warning,
    /// The documented contract is broken.
    Error,
}

impl Severity {
    /// As it is written in reports, options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that aclsan finds.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    /// Permanent name, kebab-case.
    pub name: &'static str,
    /// Its usual severity.
    pub severity: Severity,
    /// What it reports, in one clause.
    pub summary: &'static str,
    /// Whether the shim judges it at the call; the others need the whole log.
    pub is_live: bool,
    /// The rule's source file, whose module documentation is its page.
    pub source: &'static str,
}

impl Rule {
    /// The page: what `aclsan explain` prints.
    pub fn page(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// Every rule, in the order of the documentation.
pub static RULES: &[&Rule] = &[
    // Releases
    &rules::mismatched_free::RULE,
    &rules::double_free::RULE,
    &rules::interior_free::RULE,
    &rules::invalid_free::RULE,
    &rules::free_null::RULE,
    &rules::release_failed::RULE,
    &rules::free_after_reset::RULE,
    // Guard regions
    &rules::guard_overrun::RULE,
    &rules::slack_write::RULE,
    // Copies and sets
    &rules::copy_overrun::RULE,
    &rules::copy_overread::RULE,
    &rules::destmax_overstated::RULE,
    &rules::copy_use_after_free::RULE,
    &rules::copy_wrong_direction::RULE,
    &rules::copy_overlap::RULE,
    &rules::copy_misaligned::RULE,
    &rules::device_address_on_host::RULE,
    // Alignment
    &rules::misaligned_block::RULE,
    // Life cycle
    &rules::use_after_reset::RULE,
    &rules::live_at_reset::RULE,
    // Leaks
    &rules::leak::RULE,
];

/// The rule of that name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Error, Note, Warning};

    #[test]
    fn names_and_severities_are_the_contract() {
        let contract = [
            ("mismatched-free", Error),
            ("double-free", Error),
            ("interior-free", Error),
            ("invalid-free", Error),
            ("free-null", Note),
            ("release-failed", Warning),
            ("free-after-reset", Error),
            ("guard-overrun", Error),
            ("slack-write", Warning),
            ("copy-overrun", Error),
            ("copy-overread", Error),
            ("destmax-overstated", Warning),
            ("copy-use-after-free", Error),
            ("copy-wrong-direction", Error),
            ("copy-overlap", Error),
            ("copy-misaligned", Warning),
            ("device-address-on-host", Error),
            ("misaligned-block", Warning),
            ("use-after-reset", Error),
            ("live-at-reset", Warning),
            ("leak", Error),
        ];
        assert!(
            RULES
                .iter()
                .map(|rule| (rule.name, rule.severity))
                .eq(contract)
        );
    }

    #[test]
    fn a_rule_is_its_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules");
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let stems = entries.map(|path| {
            path.file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .replace('_', "-")
        });
        let mut files: Vec<String> = stems.filter(|stem| stem != "mod").collect();
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }

    #[test]
    fn every_page_begins_with_the_rule_and_has_the_four_headings() {
        for rule in RULES {
            let page = rule.page();
            assert!(
                page.starts_with(&format!("`{}`: ", rule.name)),
                "{}",
                rule.name
            );
            for heading in [
                "## What it reports",
                "## Why it matters",
                "## Example",
                "## What it cannot see",
            ] {
                assert!(page.contains(heading), "{} lacks {heading}", rule.name);
            }
        }
    }
}
