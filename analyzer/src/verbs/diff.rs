//! `aclsan diff OLD NEW`: what changed between two runs.
//!
//! Findings that are new or gone, places whose leaks grew or shrank, peaks and allocated bytes. Each side is a log, a folder of logs or a
//! pattern. Findings are the same when their fingerprints are: they outlive rebuilds and edits that move lines.
//!
//! ```text
//! aclsan diff main/ branch/
//! aclsan diff --flamegraph growth.svg main/ branch/   # red grew, blue shrank
//! ```
//!
//! Exit codes: 0 nothing new, 1 a new finding at or above `--fail-on`, 2 usage or an unreadable log.

use std::path::PathBuf;
use std::process::ExitCode;

use aclsan_render::model::Difference;
use aclsan_render::{Report, flamegraph, folded};
use anyhow::{Context, bail};

use super::export::bytes::{Of, weights};
use crate::input::Logs;
use crate::verdict::FailOn;
use crate::{output, whole_file};

/// Which runs, and how.
#[derive(clap::Args)]
pub struct Args {
    /// The run before: a log, a folder or a pattern
    old: PathBuf,
    /// The run after
    new: PathBuf,
    /// Exit with 1 at new findings this bad, as for `check`
    #[arg(long, value_name = "WHAT", default_value = "error")]
    fail_on: FailOn,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Most findings and most places of each kind in the text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Draw a differential flame graph (SVG)
    #[arg(long, value_name = "FILE")]
    flamegraph: Option<PathBuf>,
    /// Which bytes it draws
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Of::Allocated)]
    of: Of,
}

/// Writes the difference.
///
/// # Errors
/// When a log cannot be read or something cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (old, new) = (Logs::of(vec![args.old]), Logs::of(vec![args.new]));
    let difference = Difference::between(&read(&old)?, &read(&new)?);
    match args.json {
        true => output::write_json(&serde_json::to_value(&difference)?)?,
        false => output::write_difference(&difference, args.limit)?,
    }
    if let Some(path) = &args.flamegraph {
        let lines = |logs| anyhow::Ok(folded::lines(&weights(logs, args.of)?));
        let mut svg = Vec::new();
        flamegraph::render_difference(&lines(&old)?, &lines(&new)?, args.of.title(), &mut svg)
            .context("cannot draw the flame graph")?;
        whole_file::write(path, svg.as_ref())?;
    }
    let fails = difference
        .new_findings
        .iter()
        .any(|finding| args.fail_on.fails(finding));
    Ok(ExitCode::from(u8::from(fails)))
}

fn read(logs: &Logs) -> anyhow::Result<Report> {
    let reading = logs.read()?;
    if !reading.unreadable.is_empty() {
        bail!("{}", reading.unreadable.join("\naclsan: "));
    }
    Ok(reading.report)
}
