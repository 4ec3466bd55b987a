//! Standard output, for reports. A reader that closes early (`aclsan report LOG | head`) ends the output, never the verdict.

use std::io::{self, IsTerminal, Write};

use aclsan_render::model::{By, Difference, LeakGroup, Moments};
use aclsan_render::text::{self, Look, Page, Section};
use aclsan_render::{Report, json};
use anyhow::Context;

use crate::language::tongue;

/// Buffered standard output that honours the chosen colours.
pub struct Output {
    to: Option<io::BufWriter<anstream::AutoStream<io::StdoutLock<'static>>>>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            to: Some(io::BufWriter::new(anstream::AutoStream::auto(
                io::stdout().lock(),
            ))),
        }
    }

    /// Whether the reader is gone.
    pub fn is_closed(&self) -> bool {
        self.to.is_none()
    }

    fn attempt(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let Some(to) = &mut self.to else {
            return Ok(());
        };
        match write(to) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The buffer still holds bytes that nobody wants: leaving them to `Drop` would try again.
                if let Some(to) = self.to.take() {
                    drop(to.into_parts());
                }
                Ok(())
            }
            done => done,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|to| to.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|to| to.flush())
    }
}

/// Writes `bytes` to standard output.
///
/// # Errors
/// When it cannot be written for another reason than that nobody reads it.
pub fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes `value` as JSON, indented, with a line end.
///
/// # Errors
/// As [`write`].
pub fn write_json(value: &serde_json::Value) -> anyhow::Result<()> {
    write(format!("{value:#}\n").as_bytes())
}

/// Writes `parts` of `report` as JSON, indented, with a line end.
///
/// # Errors
/// As [`write`].
pub fn write_report(report: &Report, parts: json::Parts) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    json::write(report, parts, &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes `sections` of `report` as text.
///
/// # Errors
/// As [`write`].
pub fn write_text(report: &Report, sections: &[Section], limit: usize) -> anyhow::Result<()> {
    write_check(report, sections, limit, &[])
}

/// Writes the difference of two runs as text.
///
/// # Errors
/// As [`write`].
pub fn write_difference(difference: &Difference, limit: usize) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    text::difference::render(difference, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes what changed between two moments of a run.
///
/// # Errors
/// As [`write`].
pub fn write_moments(moments: &Moments, limit: usize) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    text::difference::render_moments(moments, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// The same, with the reasons why a check failed.
///
/// # Errors
/// As [`write`].
pub fn write_check(
    report: &Report,
    sections: &[Section],
    limit: usize,
    reasons: &[String],
) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    text::render(report, sections, reasons, look(limit), &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Writes leaks summed up by a property, and the summary.
///
/// # Errors
/// As [`write`].
pub fn write_groups(
    report: &Report,
    by: By,
    groups: &[LeakGroup],
    limit: usize,
) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    let look = look(limit);
    let first = report.processes.first().map_or(0, |process| process.pid);
    let table = text::leak_groups::write(by, groups, &mut Page::new(&mut out, look, first));
    table
        .and_then(|()| text::render(report, &[], &[], look, &mut out))
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

fn look(limit: usize) -> Look {
    let is_terminal = io::stdout().is_terminal();
    Look {
        is_coloured: true, // the stream takes them out again where nobody wants them
        width: is_terminal
            .then(terminal_size::terminal_size)
            .flatten()
            .map(|(width, _)| width.0),
        most: limit,
        tongue: tongue(),
    }
}
