//! The report as text, in the layout of sanitizers: `==PID==` before every line, most severe first, summary last.

mod allocations;
mod annotations;
pub mod difference;
mod findings;
mod fit_width;
mod fragmentation;
pub mod leak_groups;
mod leaks;
mod memory;
mod oom;
mod pool_attributes;
mod pools;
mod processes;
mod ranks;
mod stack;
mod suppressed;
mod timeline;
pub mod top_actions;
mod verdict;
mod writer;

use std::io::{self, Write};

use crate::model::{Process, Report};
pub use aclsan_chinese::{self as chinese, Locale};
pub use verdict::Outcome;
pub use writer::{Style, TextWriter};

/// A part of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// The observed processes.
    Processes,
    /// The comparison of processes.
    Ranks,
    /// Findings other than leaks.
    Findings,
    /// Leaks by site.
    Leaks,
    /// What the program reported about itself.
    Annotations,
    /// Pointers of unknown origin.
    UnknownOrigin,
    /// Bytes by family and device, refused calls.
    Memory,
    /// Layout of device memory.
    Fragmentation,
    /// Allocations refused for lack of memory.
    Autopsies,
    /// The cost of rounding and pages, by site.
    Slack,
    /// Churn, lifetimes and latencies, by site.
    Churn,
    /// Pool internals.
    Pools,
    /// Transfers between host and devices.
    Transfers,
    /// Live bytes over time.
    Timeline,
    /// What suppressions removed.
    Suppressed,
    /// Gaps in the evidence.
    Quality,
    /// The few actions with the most to gain.
    First,
    /// Whether a check passed.
    Verdict,
}

/// The sections of `aclsan report`.
pub const WHOLE: [Section; 15] = [
    Section::Processes,
    Section::Ranks,
    Section::Findings,
    Section::Leaks,
    Section::Annotations,
    Section::UnknownOrigin,
    Section::Memory,
    Section::Autopsies,
    Section::Fragmentation,
    Section::Slack,
    Section::Churn,
    Section::Transfers,
    Section::Suppressed,
    Section::Quality,
    Section::First,
];

/// Writes `sections` of `report`, then the summary. `outcome` is for [`Section::Verdict`].
///
/// # Errors
/// Those of `out`.
pub fn render(
    report: &Report,
    sections: &[Section],
    outcome: Outcome,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let pid = report.processes.first().map_or(0, |process| process.pid);
    let mut writer = TextWriter::new(out, style, pid);
    writer.set_names(Process::names(&report.processes));
    for section in sections {
        writer.turn_to(pid);
        match section {
            Section::Processes => processes::write(report, &mut writer)?,
            Section::Ranks => ranks::write(report, &mut writer)?,
            Section::Findings => findings::write(report, &mut writer)?,
            Section::Leaks => {
                let is_alone = !sections.contains(&Section::Findings);
                leaks::write(report, is_alone, &mut writer)?;
            }
            Section::Annotations => annotations::write(report, &mut writer)?,
            Section::UnknownOrigin => leaks::write_unknown(report, &mut writer)?,
            Section::Memory => memory::write(report, &mut writer)?,
            Section::Fragmentation => fragmentation::write(report, &mut writer)?,
            Section::Autopsies => oom::write(report, &mut writer)?,
            Section::Slack => allocations::write_slack(report, &mut writer)?,
            Section::Churn => allocations::write_churn(report, &mut writer)?,
            Section::Pools => pools::write(report, &mut writer)?,
            Section::Transfers => pools::write_transfers(report, &mut writer)?,
            Section::First => top_actions::write(report, &mut writer)?,
            Section::Timeline => timeline::write(report, &mut writer)?,
            Section::Suppressed => suppressed::write(report, &mut writer)?,
            Section::Quality => processes::write_quality(report, &mut writer)?,
            Section::Verdict => verdict::write(outcome, &mut writer)?,
        }
    }
    writer.turn_to(pid);
    writer.line(&summary(report))
}

/// The last line, without its prefix. Scripts search for it, so it does not distinguish singular and plural.
pub fn summary(report: &Report) -> String {
    let sums = &report.summary;
    let others = match (sums.warnings, sums.notes) {
        (Some(warnings), Some(notes)) => format!(", {warnings} warnings, {notes} notes"),
        _ => String::new(),
    };
    format!(
        "SUMMARY: aclsan: {} errors{others}; {} bytes in {} blocks leaked; {} unknown-origin pointers; {} events dropped",
        sums.errors, sums.leaked_bytes, sums.leaked_blocks, sums.unknown_origin, sums.dropped,
    )
}
