//! Rules: name, severity, page.

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
    /// As in reports, options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A kind of mistake that aclsan finds.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    /// Permanent name, kebab-case.
    pub name: &'static str,
    /// Its usual severity.
    pub severity: Severity,
    /// What it reports, in one clause.
    pub summary: &'static str,
    /// Whether the shim judges it at the call; other rules need the whole log.
    pub is_live: bool,
    /// The rule's source file. Its module documentation is the page.
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
