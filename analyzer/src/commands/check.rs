//! `aclsan check LOG…`: decides whether a recorded run passes. For CI.
//!
//! Findings at or above `--fail-on` fail it, and so do exceeded budgets. With `--max-leak`, leaks fail it only by their bytes, unless
//! `--fail-on` names their rule. `--max-peak` limits the device memory that one process had live at once on one device, `--max-frag` the
//! fragmentation `1 - L/F` of a page class at its peak, an estimate.
//!
//! `--baseline` names an earlier run's report in JSON: findings that it has do not fail this run, but count in its budgets. `--suppressions`
//! names files with lines `rule:pattern`, matched against every frame of a finding, or `rule caller:pattern`, matched against the caller only
//! (`--gen-suppressions` writes such lines); what they cover is counted and nothing else. In a pattern `*` matches anything, `\*` a star.
//!
//! ```text
//! aclsan check out/                                  # errors fail
//! aclsan check --fail-on warning,free-null out/
//! aclsan check --max-leak 0 --max-peak 12GiB --max-frag 30 out/
//! aclsan check --json main/ > main.json; aclsan check --baseline main.json branch/
//! aclsan check --github --sarif aclsan.sarif --junit aclsan.xml out/
//! ```
//!
//! `./aclsan.toml`, or the file that `--config` names, may have the same in `[check]`: `fail_on`, `max_leak`, `max_peak`, `max_frag`,
//! `suppressions`, and budgets of places in `[[check.sites]]` with `place` (a pattern as in suppressions), `max_leak`, `max_peak`.
//! `max_peak = { activations = "4GiB", total = "12GiB" }` limits what the program said that memory is for.
//! For a place, `max_leak` limits what all its call stacks leaked together, `max_peak` what each of them had live at once: their common peak is
//! not known. A place that no call stack matches, and a category that no memory has, are reported, and fail nothing. A flag overrides the file,
//! `--max-peak` only `total` of a table; suppression files add up.
//!
//! Events that could not be recorded, damaged logs and unreadable logs fail it as well: what they would have shown is not known. So does a
//! process that crashed (SIGSEGV, SIGABRT and the like), unless `--allow-crash` is given.
//! With `--baseline`, new findings come first; `verdict.failing` of the JSON has the fingerprints of what fails the run.
//!
//! `--github` is on if `GITHUB_ACTIONS` is `true`: annotations go to standard output (with `--json`, to standard error), a table into the
//! step's summary. Paths in these formats are relative to `--source-root`: by default the checkout of the CI job, else the current folder.
//!
//! Exit codes: 0 passed, 1 failed, 2 usage or an unreadable log, 3 no AscendCL call observed (`--allow-empty` accepts it): a run that
//! was not observed must not look clean.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aclsan_render::Report;
use aclsan_render::json;
use aclsan_render::text::{Outcome, Section};
use serde_json::json;

use crate::io::language::localized;
use crate::io::output;
use crate::io::project_file::FILE;
use crate::policy::baseline::Baseline;
use crate::policy::check_table::Check;
use crate::policy::ci_outputs;
use crate::policy::quantity;
use crate::policy::suppress;
use crate::policy::verdict::{Budget, Verdict};
use crate::report::pipeline::{Input, NOTHING_OBSERVED, NothingObserved, conclude};

/// Which logs, and their limits.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Most bytes that all processes may leak together, such as `0`, `4096` or `1.5MiB`
    ///
    /// Leaks within it fail nothing, although they are errors, unless `--fail-on` names their rule
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    max_leak: Option<u64>,
    /// Most bytes that a process may have live at once on a device
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    max_peak: Option<u64>,
    /// Most fragmentation at the peak, in percent
    #[arg(long, value_name = "PCT", value_parser = quantity::percent)]
    max_frag: Option<f64>,
    /// Only findings that this JSON report does not have fail the run
    ///
    /// Budgets, such as `--max-leak`, count all findings, including those in the baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Take budgets from this file's `[check]` [default: ./aclsan.toml, if there is one]
    ///
    /// For a place in its `sites`, `max_leak` limits what all call stacks leaked together, `max_peak` what each of them had live at once
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Let a run pass although a process crashed
    ///
    /// A process that ends by SIGSEGV, SIGABRT or the like fails the run otherwise
    #[arg(long)]
    allow_crash: bool,
    /// Write only lines that would suppress all findings
    #[arg(long)]
    gen_suppressions: bool,
    #[command(flatten)]
    formats: ci_outputs::Formats,
}

/// Writes findings, leaks and the verdict.
///
/// # Errors
/// If no log can be read or standard output cannot be written.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    args.formats.keep_apart()?;
    let file = args.config.as_deref().unwrap_or(Path::new(FILE));
    let table = Check::read(file, args.config.is_some())?;
    args.input.fail_on = args.input.fail_on.take().or(table.fail_on);
    args.input
        .suppressing
        .suppressions
        .extend(table.suppressions);
    let mut baseline = args
        .baseline
        .as_deref()
        .map(Baseline::read)
        .transpose()?
        .unwrap_or_default();
    let budget = Budget {
        leak: args.max_leak.or(table.max_leak),
        peak: args.max_peak.or(table.max_peak),
        category_peaks: table.category_peaks,
        fragmentation: args.max_frag.or(table.max_frag),
        sites: table.sites,
    };
    args.input.logs.config.clone_from(&args.config);
    args.input.logs.budgets.clone_from(&budget.sites);
    let mut reading = match args.input.read() {
        Err(error) => {
            // Overwrite the files of an earlier run, so that nobody reads those.
            let verdict = match error.is::<NothingObserved>() {
                true => Verdict::default().unobserved(NOTHING_OBSERVED.to_owned()),
                false => Verdict::default().failed_because(format!("{error:#}")),
            };
            args.formats
                .write(&Report::default(), &verdict, &baseline, args.input.json)?;
            return Err(error);
        }
        read => read?,
    };
    baseline.match_report(&reading.report);
    let fail_on = args.input.fail_on.clone().unwrap_or_default();
    let mut verdict =
        Verdict::of(&reading.report, &fail_on, &budget, &baseline).with_losses(&reading.report);
    if !args.allow_crash {
        verdict = verdict.with_crashes(&reading.report);
    }
    for sentence in &reading.unreadable {
        verdict = verdict.failed_because(sentence.clone());
    }
    if let Some(why) = reading.unobserved().filter(|_| !args.input.allow_empty) {
        verdict = verdict.unobserved(why);
    }
    if args.gen_suppressions {
        output::write(suppress::generate(&reading.report).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let compared = baseline.compare(&reading.report);
    if args.input.json {
        let mut reported = json!({
            "passed": verdict.has_passed(),
            "reasons": verdict.reasons,
            "failing": verdict.failing.iter().collect::<BTreeSet<_>>(),
            "unmatched_sites": verdict.unmatched,
            "unused_categories": verdict.unused_categories,
        });
        if let Some((known, gone)) = compared {
            reported["baseline"] = json!({ "known": known, "gone": gone });
        }
        let parts = json::Parts {
            only: None,
            more: Some(("verdict", &reported)),
        };
        output::write_report(&reading.report, parts)?;
    } else {
        baseline.new_first(&mut reading.report);
        let sections = [
            Section::Ends,
            Section::Processes,
            Section::Overview,
            Section::Findings,
            Section::Leaks,
            Section::Facts,
            Section::Suppressed,
            Section::Quality,
            Section::Verdict,
        ];
        output::write_check(
            &reading.report,
            &sections,
            args.input.limit,
            Outcome {
                reasons: &verdict.reasons,
                unmatched: &verdict.unmatched,
                unused_categories: &verdict.unused_categories,
            },
        )?;
    }
    if let Some((known, gone)) = compared {
        let reported =
            format!("the baseline has {known} of these findings, and {gone} that are gone");
        crate::io::notice::say(&localized(&reported));
    }
    args.formats
        .write(&reading.report, &verdict, &baseline, args.input.json)?;
    Ok(conclude(&reading, &verdict, args.input.allow_empty))
}
