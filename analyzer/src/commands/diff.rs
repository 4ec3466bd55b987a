//! `aclsan diff OLD NEW`: compares two runs, or two moments of one.
//!
//! New and gone findings, sites whose leaks grew or shrank, peaks and allocated bytes. Each side is a log, a folder of logs or a pattern.
//! Findings are equal if their fingerprints are, which survive rebuilds and edits that move lines. In JSON a finding's `processes` are indices,
//! from 0, into a list of names: `processes.new`, or `processes.old` for a finding that is gone.
//!
//! With `--from` and `--to`: live memory by site at two moments of the one run OLD. A moment is the beginning of an epoch or a snapshot by name
//! (`NAME#3` is the third of that name), a time such as `1.5s`, `start` or `end`.
//!
//! ```text
//! aclsan diff main/ branch/
//! aclsan diff --flamegraph growth.svg main/ branch/   # red grew, blue shrank
//! aclsan diff --from 'step 10' --to 'step 20' run.aclsan
//! ```
//!
//! Exit codes: 0 nothing new, or moments, 1 a new finding at or above `--fail-on`, 2 usage or an unreadable log, 3 no AscendCL call
//! observed in NEW, or no log in either.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aclsan_render::model::{Difference, Moment, Moments, live_at};
use aclsan_render::{flamegraph, folded};
use anyhow::{Context, bail};

use super::export::bytes::{Of, weights};
use crate::io::language::localized;
use crate::io::notice;
use crate::io::output;
use crate::logs::atomic_file;
use crate::policy::verdict::FailOn;
use crate::replay::{ReportScope, replay};
use crate::report::moments;
use crate::report::pipeline::{Logs, NothingObserved, Reading};

/// Which runs, and how.
#[derive(clap::Args)]
pub struct Args {
    /// The earlier run: a log, a folder or a pattern
    old: PathBuf,
    /// The later run
    #[arg(required_unless_present_any = ["from", "to"], conflicts_with_all = ["from", "to"])]
    new: Option<PathBuf>,
    /// The first of two moments of one run [default: start]
    #[arg(long, value_name = "WHEN")]
    from: Option<String>,
    /// The second [default: end]
    #[arg(long, value_name = "WHEN")]
    to: Option<String>,
    /// Exit with 1 if new findings are at least this bad, as for `check`
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = FailOn::hints(), hide_possible_values = true)]
    fail_on: FailOn,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Most findings and sites of each kind in the text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Draw a differential flame graph (SVG)
    #[arg(long, value_name = "FILE")]
    flamegraph: Option<PathBuf>,
    /// Which bytes to draw
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Of::Allocated)]
    #[arg(requires = "flamegraph", conflicts_with_all = ["from", "to"])]
    of: Of,
}

/// Writes the comparison.
///
/// # Errors
/// If a log cannot be read or something cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(new) = args.new.clone() else {
        return moments(&args);
    };
    let (old, new) = (Logs::of(vec![args.old]), Logs::of(vec![new]));
    let (before, after) = (read(&old)?, read(&new)?);
    let difference = Difference::between(&before.report, &after.report);
    match args.json {
        true => output::write_json(&serde_json::to_value(&difference)?)?,
        false => output::write_difference(&difference, args.limit)?,
    }
    if let Some(path) = &args.flamegraph {
        let lines = |logs| anyhow::Ok(folded::lines(&weights(logs, args.of)?));
        draw(&lines(&old)?, &lines(&new)?, args.of.title(), path)?;
    }
    let fails = difference
        .new_findings
        .iter()
        .any(|finding| args.fail_on.fails(finding));
    Ok(match (fails, after.unobserved()) {
        (true, _) => ExitCode::FAILURE,
        (false, None) => ExitCode::SUCCESS,
        // A run that was not observed has lost no finding.
        (false, Some(why)) => {
            notice::say(&localized(&format!("the run after: {why}")));
            ExitCode::from(NothingObserved::CODE)
        }
    })
}

/// Compares two moments of one run.
fn moments(args: &Args) -> anyhow::Result<ExitCode> {
    let logs = Logs::of(vec![args.old.clone()]);
    let log = logs.one()?;
    let replayed = replay(&log, ReportScope::All(None), true, |_| {});
    let when = |text: &Option<String>, usual: &str| {
        let text = text.as_deref().unwrap_or(usual);
        moments::find(text, &replayed)
    };
    let (from, to) = (when(&args.from, "start")?, when(&args.to, "end")?);
    if from.ns > to.ns {
        bail!("{} comes after {}: exchange them", from.name, to.name);
    }
    let history = logs.history()?;
    let lines = |moment: &Moment| folded::lines(&live_at(&history, moment.ns));
    if let Some(path) = &args.flamegraph {
        draw(&lines(&from), &lines(&to), "Bytes live", path)?;
    }
    let moments = Moments::between(&history, from, to);
    match args.json {
        true => output::write_json(&serde_json::to_value(&moments)?)?,
        false => output::write_moments(&moments, args.limit)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(old: &[String], new: &[String], title: &str, path: &Path) -> anyhow::Result<()> {
    let mut svg = Vec::new();
    flamegraph::render_difference(old, new, title, &mut svg)
        .context("cannot draw the flame graph")?;
    atomic_file::write(path, svg.as_ref())
}

fn read(logs: &Logs) -> anyhow::Result<Reading> {
    let reading = logs.read()?;
    if !reading.unreadable.is_empty() {
        bail!("{}", reading.unreadable.join("\naclsan: "));
    }
    Ok(reading)
}
