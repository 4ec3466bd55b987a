//! The report as text: a table of the findings, then each once, mistakes before leaks and facts, and the summary last. Lines of several
//! processes begin with `==PID==`, as those of sanitizers do.

mod allocations;
mod annotations;
pub mod difference;
mod ends;
mod findings;
mod fit_width;
mod fold;
mod fragmentation;
pub mod leak_groups;
mod leaks;
mod memory;
mod oom;
mod overview;
mod pool_attributes;
mod pools;
mod processes;
mod ranks;
mod stack;
mod suppressed;
mod timeline;
mod verdict;
mod writer;

use std::io::{self, Write};

use aclsan_rules::evidence::summary::Counts;

use crate::model::{Finding, Process, Report};
pub use aclsan_chinese::{self as chinese, Locale};
use overview::Group;
pub use verdict::Outcome;
pub use writer::{Detail, Style, TextWriter};

/// A part of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// Processes that a signal ended, or `halt_on_error`.
    Ends,
    /// The observed processes.
    Processes,
    /// The comparison of processes.
    Ranks,
    /// A table of all findings.
    Overview,
    /// Findings other than leaks by site and facts.
    Findings,
    /// Findings that are no mistake: facts worth knowing.
    Facts,
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
    /// Whether a check passed.
    Verdict,
}

/// The sections of `aclsan report`.
pub const WHOLE: [Section; 17] = [
    Section::Ends,
    Section::Processes,
    Section::Ranks,
    Section::Overview,
    Section::Findings,
    Section::Leaks,
    Section::Facts,
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
];

/// Facts about a run that its logs do not have.
#[derive(Clone, Copy)]
pub struct RunFacts<'a> {
    /// For [`Section::Verdict`].
    pub outcome: Outcome<'a>,
    /// Findings that were printed while the program ran: only the table has them again.
    pub is_printed: fn(&Finding) -> bool,
    /// The end of the last line: where the log is.
    pub after_summary: &'a str,
}

impl Default for RunFacts<'_> {
    fn default() -> Self {
        Self {
            outcome: Outcome::default(),
            is_printed: |_| false,
            after_summary: "",
        }
    }
}

/// Writes `sections` of `report`, then the summary.
///
/// # Errors
/// Those of `out`.
pub fn render(
    report: &Report,
    sections: &[Section],
    run: RunFacts,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let pid = report.processes.first().map_or(0, |process| process.pid);
    let style = Style {
        has_prefix: style.has_prefix || report.processes.len() > 1,
        ..style
    };
    let mut writer = TextWriter::new(out, style, pid);
    writer.set_names(Process::names(&report.processes));
    writer.set_estimate(report.own.block_sample > 0);
    let is_after_text = report.findings.iter().any(run.is_printed);
    if is_after_text {
        writer.follow();
    }
    for section in sections {
        writer.turn_to(pid);
        match section {
            Section::Ends => ends::write(report, &mut writer)?,
            Section::Processes => {
                if is_after_text {
                    writer.gap()?;
                }
                processes::write(report, &mut writer)?;
            }
            Section::Ranks => ranks::write(report, &mut writer)?,
            Section::Overview => {
                overview::write(report, is_after_text, &mut writer)?;
            }
            Section::Findings => {
                let groups = [Group::Mistake, Group::Leak];
                findings::write(report, &groups, run.is_printed, &mut writer)?;
            }
            Section::Facts => {
                findings::write(report, &[Group::Fact], run.is_printed, &mut writer)?;
            }
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
            Section::Timeline => timeline::write(report, &mut writer)?,
            Section::Suppressed => suppressed::write(report, &mut writer)?,
            Section::Quality => processes::write_quality(report, &mut writer)?,
            Section::Verdict => verdict::write(run.outcome, &mut writer)?,
        }
    }
    writer.turn_to(pid);
    if style.detail == Detail::Brief {
        writer.gap()?;
    }
    writer.raw(&format!("{}{}", summary(report), run.after_summary))
}

/// The last line, without its prefix.
pub fn summary(report: &Report) -> String {
    let sums = &report.summary;
    let counts = Counts {
        errors: sums.errors,
        others: sums.warnings.zip(sums.notes),
        leaked: (sums.leaked_bytes, sums.leaked_blocks),
        unknown_pointers: sums.unknown_origin,
        dropped_events: sums.dropped,
    };
    match report.own.block_sample {
        0 => counts.line(),
        _ => counts.estimated_line(),
    }
}
