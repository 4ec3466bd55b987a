//! After the program has ended: replays its logs and reports.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use aclsan_render::Report;
use aclsan_render::model::Finding;
use aclsan_render::text;
use aclsan_render::text::{RunFacts, Section, Style};
use aclsan_render::{html, json};
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::judge::registry::rule;
use anyhow::Context;

use crate::io::language::{explicit_locale, locale};
use crate::io::nonblocking;
use crate::io::notice;
use crate::io::stack_display;
use crate::logs::atomic_file;
use crate::policy::suppress::Suppressions;
use crate::report::pipeline::{Logs, Reading};

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
    /// A file for the report as a page for browsers.
    pub html: Option<PathBuf>,
    /// A file for the report as JSON.
    pub json: Option<PathBuf>,
    /// No report at all; findings are still counted.
    pub is_silent: bool,
    /// Lines about leaks.
    pub leaks: LeakCheck,
    /// Suppressions.
    pub suppressions: Suppressions,
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
    /// Replays the logs and writes the report, whose last line ends with `log_note`. If writing fails, that is printed, and the findings count all the same.
    ///
    /// # Errors
    /// If no log can be read.
    pub fn report(&self, logs: &[PathBuf], log_note: &str) -> anyhow::Result<RunOutcome> {
        let most = match self.html {
            Some(_) => html::MAX_BLOCKS,
            None => 0,
        };
        let mut reading = Logs::of(logs.to_vec()).read_drawn(most)?;
        for sentence in &reading.unreadable {
            notice::say(sentence);
        }
        self.suppressions.apply(&mut reading.report);
        if self.leaks == LeakCheck::No {
            drop_leaks(&mut reading.report);
        }
        let tally = RunOutcome {
            errors: reading.report.summary.errors,
            lost: reading.report.own.dropped_events,
            gone: 0,
        };
        self.write_machine_readable(&reading)
            .unwrap_or_else(|error| notice::fail(&error));
        let report = &reading.report;
        let written = match &self.report {
            _ if self.is_silent => Ok(()),
            Some(file) => self.write_file(file, report).and_then(|()| {
                let note = format!("; the report is `{}`{log_note}", file.display());
                self.write_stderr(report, &[], &note)
            }),
            None => self.write_stderr(report, &self.sections(report), log_note),
        };
        written.unwrap_or_else(|error| notice::fail(&error));
        Ok(tally)
    }

    /// Whether the report is for the terminal.
    pub fn is_on_stderr(&self) -> bool {
        !self.is_silent && self.report.is_none()
    }

    /// Writes the files for browsers and scripts.
    fn write_machine_readable(&self, reading: &Reading) -> anyhow::Result<()> {
        let report = &reading.report;
        if let Some(file) = &self.html {
            let page = html::document(
                report,
                &reading.lives,
                html::MAX_PAGE_BYTES,
                explicit_locale(),
            );
            atomic_file::write(file, page.as_bytes()).context("the page is lost")?;
        }
        if let Some(file) = &self.json {
            let mut text = Vec::new();
            json::write(report, json::Parts::default(), &mut text)?;
            atomic_file::write(file, &text).context("the JSON report is lost")?;
        }
        Ok(())
    }

    fn sections(&self, report: &Report) -> Vec<Section> {
        let mut sections = vec![Section::Ends];
        // Of one process there is nothing to say that the user does not know.
        if report.processes.len() > 1 || self.report.is_some() {
            sections.push(Section::Processes);
        }
        sections.extend([Section::Overview, Section::Findings]);
        if self.leaks == LeakCheck::Full {
            sections.push(Section::Leaks);
        }
        sections.extend([
            Section::Facts,
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
            detail: stack_display::chosen().detail(),
            has_prefix: stack_display::chosen().prefix,
            ..Style::default()
        };
        let mut text = Vec::new();
        text::render(
            report,
            &self.sections(report),
            RunFacts::default(),
            look,
            &mut text,
        )?;
        atomic_file::write(file, &text).context("the report is lost")
    }

    fn write_stderr(
        &self,
        report: &Report,
        sections: &[Section],
        after_summary: &str,
    ) -> anyhow::Result<()> {
        let run = RunFacts {
            is_printed: match self.is_quiet {
                true => |_| false,
                false => is_live,
            },
            after_summary,
            ..RunFacts::default()
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
            detail: stack_display::chosen().detail(),
            has_prefix: stack_display::chosen().prefix,
            has_links: stack_display::has_links(&stderr),
            ..Style::default()
        };
        let mut out = BufWriter::new(nonblocking::text(stderr.lock()));
        let written = text::render(report, sections, run, look, &mut out);
        match written.and_then(|()| out.flush()) {
            // Whoever closes our stderr does not want the rest.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done.context("cannot write the report"),
        }
    }
}

/// Whether the shim prints such a finding while the program runs.
fn is_live(finding: &Finding) -> bool {
    rule(finding.rule).is_some_and(|rule| rule.is_live)
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

#[cfg(test)]
mod tests {
    use aclsan_log::Event;
    use aclsan_log::builder::LogBuilder;
    use aclsan_log::record::Definition;

    use super::*;
    use crate::policy::suppress::Choice;

    #[test]
    fn what_cann_keeps_is_no_error_of_a_run() {
        let mut builder = LogBuilder::default();
        builder.process(7, 1).define(Definition::Module {
            start: 0x70_0000,
            end: 0x80_0000,
            bias: 0x70_0000,
            build_id: Vec::new(),
            path: "/usr/local/lib/libopapi_math.so".to_owned(),
        });
        let site = builder.site("aclrtMalloc", 0, 0, &[0x70_1000, 0x40_2000]);
        builder.allocation(1, site, 0x10_0000, 100);
        builder.event(1, Event::Exit);
        let log = std::env::temp_dir().join(format!("aclsan-after-{}", std::process::id()));
        std::fs::write(&log, builder.bytes()).expect("it is written");
        let errors = |suppressions| {
            let after = AfterRun {
                report: None,
                html: None,
                json: None,
                is_silent: true,
                leaks: LeakCheck::Full,
                suppressions,
                is_quiet: true,
            };
            let outcome = after.report(std::slice::from_ref(&log), "");
            outcome.expect("it is read").errors
        };
        let builtin = Choice::default().read().expect("the built-in lines");
        assert_eq!(errors(builtin), 0);
        assert_eq!(errors(Suppressions::read(&[], false).expect("no lines")), 1);
        std::fs::remove_file(log).expect("it was written");
    }
}
