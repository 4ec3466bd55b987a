//! After the program: its logs are replayed and told.

use std::path::PathBuf;

/// What of leaks is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum LeakCheck {
    /// Nothing.
    No,
    /// Counts and bytes.
    Summary,
    /// Every site, with its stack.
    #[value(alias = "yes")]
    Full,
}

/// How a run is told.
pub struct Aftermath {
    /// A file for the report; stderr without one.
    pub report: Option<PathBuf>,
    /// No report at all; findings are still counted.
    pub is_silent: bool,
    /// What of leaks is reported.
    pub leaks: LeakCheck,
    /// No words of ours.
    pub is_quiet: bool,
}

/// What was found, for the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Findings of level error.
    pub errors: u64,
}

impl Aftermath {
    /// Replays the logs and writes the report.
    ///
    /// # Errors
    /// When the report cannot be written.
    pub fn tell(&self, _logs: &[PathBuf]) -> anyhow::Result<Tally> {
        Ok(Tally::default())
    }
}
