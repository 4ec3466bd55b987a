//! What suppressions removed from a report.

use serde::Serialize;

/// The sums of all suppressions.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Suppressed {
    /// Findings, each counted once however often it occurred.
    pub findings: u64,
    /// Leaked bytes.
    pub bytes: u64,
    /// By line, in the order of the files; of the built-in ones, those that matched.
    pub lines: Vec<Suppression>,
}

/// One suppression line and its effect.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Suppression {
    /// The line as written.
    pub text: String,
    /// Its file and line, or the reason why it is built in.
    pub place: String,
    /// Findings that it matched; 0 for a line that can be deleted.
    pub findings: u64,
    /// Leaked bytes among them.
    pub bytes: u64,
    /// Whether it has expired and matches nothing any more.
    pub has_ended: bool,
}
