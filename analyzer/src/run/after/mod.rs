//! After the program has ended: replays its logs and reports.

mod already_printed;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use aclsan_render::Report;
use aclsan_render::model::Finding;
use aclsan_render::text;
use aclsan_render::text::{Outcome, Section, Style, TextWriter};
use aclsan_rules::evidence::rule::Severity;
use anyhow::Context;

use crate::io::language::locale;
use crate::io::nonblocking;
use crate::io::notice;
use crate::io::stack_display;
use crate::logs::atomic_file;
use crate::policy::suppress::Suppressions;
use crate::report::pipeline::Logs;

/// Lines about leaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum LeakCheck {
    /// Nothing, and none counts for the exit code.
    No,
    /// Their number and bytes.
    Summary,
    /// Every site, with its stack.
    #[value(alias = "yes")]
    Full,
}

/// How a run is reported.
pub struct AfterRun {
    /// A file for the report; stderr without one.
    pub report: Option<PathBuf>,
    /// No report at all; findings are still counted.
    pub is_silent: bool,
    /// Lines about leaks.
    pub leaks: LeakCheck,
    /// Suppressions.
    pub suppressions: Option<Suppressions>,
    /// Whether shim and command were silent before the report.
    pub is_quiet: bool,
}

/// Counts for the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunOutcome {
    /// Findings of level error.
    pub errors: u64,
    /// Events that could not be recorded, so that no report has what they would have shown.
    pub lost: u64,
    /// Logs that are gone.
    pub gone: u64,
}

impl AfterRun {
    /// Replays the logs and writes the report. If writing fails, that is printed, and the findings count all the same.
    ///
    /// # Errors
    /// If no log can be read.
    pub fn report(&self, logs: &[PathBuf]) -> anyhow::Result<RunOutcome> {
        let mut reading = Logs::of(logs.to_vec()).read()?;
        for sentence in &reading.unreadable {
            notice::say(sentence);
        }
        if let Some(suppressions) = &self.suppressions {
            suppressions.apply(&mut reading.report);
        }
        if self.leaks == LeakCheck::No {
            drop_leaks(&mut reading.report);
        }
        let tally = RunOutcome {
            errors: reading.report.summary.errors,
            lost: reading.report.own.dropped_events,
            gone: 0,
        };
        let written = match &self.report {
            _ if self.is_silent => Ok(()),
            Some(file) => self.write_file(file, &reading.report),
            None => self.write_stderr(reading.report),
        };
        written.unwrap_or_else(|error| notice::fail(&error));
        Ok(tally)
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![Section::Processes, Section::Findings];
        if self.leaks == LeakCheck::Full {
            sections.push(Section::Leaks);
        }
        sections.extend([
            Section::UnknownOrigin,
            Section::Autopsies,
            Section::Suppressed,
            Section::Quality,
        ]);
        sections
    }

    fn write_file(&self, file: &Path, report: &Report) -> anyhow::Result<()> {
        let look = Style {
            tongue: locale(),
            has_full_stacks: stack_display::chosen().full_stacks,
            ..Style::default()
        };
        let mut text = Vec::new();
        text::render(
            report,
            &self.sections(),
            Outcome::default(),
            look,
            &mut text,
        )?;
        atomic_file::write(file, &text).context("the report is lost")
    }

    fn write_stderr(&self, mut report: Report) -> anyhow::Result<()> {
        let reported = match self.is_quiet {
            true => Vec::new(),
            false => already_printed::take(&mut report),
        };
        let stderr = io::stderr();
        let width = match stderr.is_terminal() {
            true => terminal_size::terminal_size_of(&stderr).map(|(width, _)| width.0),
            false => None,
        };
        let look = Style {
            // The stream strips colors that are not wanted.
            is_coloured: stack_display::has_colors(&stderr),
            width,
            tongue: locale(),
            has_full_stacks: stack_display::chosen().full_stacks,
            has_links: stack_display::has_links(&stderr),
            ..Style::default()
        };
        let mut out = BufWriter::new(nonblocking::text(stderr.lock()));
        let first = reported.first().map_or(0, |finding| finding.pid);
        let written =
            already_printed::write(&reported, &mut TextWriter::new(&mut out, look, first))
                .and_then(|()| {
                    text::render(
                        &report,
                        &self.sections(),
                        Outcome::default(),
                        look,
                        &mut out,
                    )
                });
        match written.and_then(|()| out.flush()) {
            // Whoever closes our stderr does not want the rest.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done.context("cannot write the report"),
        }
    }
}

/// Removes leaks from a report, as if nothing had leaked.
fn drop_leaks(report: &mut Report) {
    // Blocks that were never sent to the Matrix daemon leak too; other findings of that rule have an earlier stack.
    let is_leak = |finding: &Finding| match finding.rule {
        "hiai-ownership" => finding.stacks.earlier.is_empty(),
        rule => rule == "leak" || rule.starts_with("leak-"),
    };
    report.findings.retain_mut(|finding| {
        finding.consequences.retain(|other| !is_leak(other));
        finding.raise();
        !is_leak(finding)
    });
    report.leaks = Default::default();
    let count = |severity| {
        let alike = report.findings.iter().filter(|f| f.severity == severity);
        alike.count() as u64
    };
    report.summary.errors = count(Severity::Error);
    report.summary.warnings = Some(count(Severity::Warning));
    report.summary.notes = Some(count(Severity::Note));
    report.summary.leaked_bytes = 0;
    report.summary.leaked_blocks = 0;
}
