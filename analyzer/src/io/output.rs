//! Standard output. A reader that closes early (`aclsan report LOG | head`) ends the output, not the exit code.

use std::io::{self, IsTerminal, Write};

use aclsan_render::account::{self, Accounts};
use aclsan_render::model::{Difference, GroupBy, LeakGroup, Moments};
use aclsan_render::plan::{self, Plans};
use aclsan_render::text;
use aclsan_render::text::{Outcome, RunFacts, Section, Style, TextWriter};
use aclsan_render::{Report, json};
use anyhow::Context;

use crate::io::language::locale;
use crate::io::nonblocking::{self, WaitingWriter};
use crate::io::stack_display;

/// Buffer size.
const BUFFER: usize = 64 << 10;

/// Buffered standard output, while it has a reader.
pub struct Output<W: Write> {
    to: Option<io::BufWriter<W>>,
}

impl Output<WaitingWriter<io::StdoutLock<'static>>> {
    /// Unmodified bytes: JSON and files of any kind.
    pub fn plain() -> Self {
        Self::of(WaitingWriter(io::stdout().lock()))
    }
}

impl Output<anstream::AutoStream<Box<dyn Write>>> {
    /// Text, with colors where they are wanted.
    fn text() -> Self {
        Self::of(nonblocking::text(io::stdout().lock()))
    }
}

impl<W: Write> Output<W> {
    fn of(to: W) -> Self {
        let to = io::BufWriter::with_capacity(BUFFER, to);
        Self { to: Some(to) }
    }

    /// Whether the reader has closed its end.
    pub fn is_closed(&self) -> bool {
        self.to.is_none()
    }

    /// A closed reader is no error.
    #[cold]
    fn close(&mut self, error: io::Error) -> io::Result<()> {
        if error.kind() != io::ErrorKind::BrokenPipe {
            return Err(error);
        }
        // Discard the buffer: `Drop` would try to write it again.
        if let Some(to) = self.to.take() {
            drop(to.into_parts());
        }
        Ok(())
    }
}

impl<W: Write> Write for Output<W> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = match &mut self.to {
            Some(to) => to.write_all(bytes),
            None => Ok(()),
        };
        written.or_else(|error| self.close(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.to {
            Some(to) => to.flush(),
            None => Ok(()),
        };
        flushed.or_else(|error| self.close(error))
    }
}

/// Writes `bytes` to standard output.
///
/// # Errors
/// If writing fails for another reason than a closed reader.
pub fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = Output::plain();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes `value` as indented JSON with a final newline.
///
/// # Errors
/// As [`write`].
pub fn write_json(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = Output::plain();
    serde_json::to_writer_pretty(&mut out, value)
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes `parts` of `report` as indented JSON with a final newline.
///
/// # Errors
/// As [`write`].
pub fn write_report(report: &Report, parts: json::Parts) -> anyhow::Result<()> {
    let mut out = Output::plain();
    json::write(report, parts, &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes `sections` of `report` as text.
///
/// # Errors
/// As [`write`].
pub fn write_text(report: &Report, sections: &[Section], limit: usize) -> anyhow::Result<()> {
    write_check(report, sections, limit, Outcome::default())
}

/// Writes the difference of two runs as text.
///
/// # Errors
/// As [`write`].
pub fn write_difference(difference: &Difference, limit: usize) -> anyhow::Result<()> {
    let mut out = Output::text();
    text::difference::render(difference, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes what changed between two moments of a run.
///
/// # Errors
/// As [`write`].
pub fn write_moments(moments: &Moments, limit: usize) -> anyhow::Result<()> {
    let mut out = Output::text();
    text::difference::render_moments(moments, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// As [`write_text`], with the outcome of a check.
///
/// # Errors
/// As [`write`].
pub fn write_check(
    report: &Report,
    sections: &[Section],
    limit: usize,
    outcome: Outcome,
) -> anyhow::Result<()> {
    let mut out = Output::text();
    let run = RunFacts {
        outcome,
        ..RunFacts::default()
    };
    text::render(report, sections, run, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes leaks grouped by a property, and the summary.
///
/// # Errors
/// As [`write`].
pub fn write_groups(
    report: &Report,
    by: GroupBy,
    groups: &[LeakGroup],
    limit: usize,
) -> anyhow::Result<()> {
    let mut out = Output::text();
    let look = look(limit);
    let first = report.processes.first().map_or(0, |process| process.pid);
    let table = text::leak_groups::write(by, groups, &mut TextWriter::new(&mut out, look, first));
    table
        .and_then(|()| text::render(report, &[], RunFacts::default(), look, &mut out))
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes accounts as text.
///
/// # Errors
/// As [`write`].
pub fn write_account(accounts: &Accounts) -> anyhow::Result<()> {
    let mut out = Output::text();
    let first = accounts.devices.first().map_or(0, |account| account.pid);
    account::write(accounts, &mut TextWriter::new(&mut out, look(0), first))
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes plans as text.
///
/// # Errors
/// If standard output cannot be written.
pub fn write_plans(plans: &[Plans]) -> anyhow::Result<()> {
    let mut out = Output::text();
    let first = plans.first().map_or(0, |plan| plan.pid);
    plan::write(plans, &mut TextWriter::new(&mut out, look(0), first))
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

fn look(limit: usize) -> Style {
    let is_terminal = io::stdout().is_terminal();
    Style {
        // The stream strips colors that are not wanted.
        is_coloured: stack_display::has_colors(&io::stdout()),
        width: is_terminal
            .then(terminal_size::terminal_size)
            .flatten()
            .map(|(width, _)| width.0),
        most: limit,
        tongue: locale(),
        detail: stack_display::chosen().detail(),
        has_prefix: stack_display::chosen().prefix,
        has_links: stack_display::has_links(&io::stdout()),
    }
}
