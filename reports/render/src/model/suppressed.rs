//! What suppressions took out of a report.

use serde::Serialize;

/// All of it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Suppressed {
    /// Findings, each counted once however often it was met.
    pub findings: u64,
    /// Leaked bytes.
    pub bytes: u64,
    /// By line, in the order of the files; of the built-in ones those that were used.
    pub lines: Vec<Suppression>,
}

/// One line of suppressions, and what it did.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Suppression {
    /// As it was written.
    pub text: String,
    /// Its file and line, or why it is built in.
    pub place: String,
    /// Findings that it covered; 0 for a line that may go.
    pub findings: u64,
    /// Leaked bytes among them.
    pub bytes: u64,
    /// Whether its last day has passed: it covers nothing any more.
    pub has_ended: bool,
}
