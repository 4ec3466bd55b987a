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
];

/// The rule of that name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
