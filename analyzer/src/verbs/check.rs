//! `aclsan check LOG…`: whether a recorded run passes. For CI.
//!
//! Findings at or above `--fail-on` fail it, and budgets that are exceeded. With `--max-leak`, leaks fail it by their bytes only,
//! unless `--fail-on` names their rule. `--max-peak` is about the device memory that one process had live at once on one device,
//! `--max-frag` about `1 - L/F` of a page class at its peak, an estimate.
//!
//! ```text
//! aclsan check out/                                  # errors fail
//! aclsan check --fail-on warning,free-null out/
//! aclsan check --max-leak 0 --max-peak 12GiB --max-frag 30 out/
//! ```
//!
//! Exit codes: 0 passed, 1 failed, 2 usage or an unreadable log, 3 no AscendCL call observed (`--allow-empty` accepts it): a run that
//! was not watched must not look clean.

use std::process::ExitCode;

use aclsan_render::json;
use aclsan_render::text::Section;
use serde_json::json;

use crate::input::{Input, conclude};
use crate::output;
use crate::quantity;
use crate::verdict::{Budget, Verdict};

/// Which logs, and what they may hold.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Most bytes that all processes may leak, such as `0`, `4096` or `1.5MiB`
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    max_leak: Option<u64>,
    /// Most bytes that a process may have live at once on a device
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    max_peak: Option<u64>,
    /// Most fragmentation at the peak, in percent
    #[arg(long, value_name = "PCT", value_parser = quantity::percent)]
    max_frag: Option<f64>,
}

/// Writes findings, leaks and the verdict.
///
/// # Errors
/// When no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reading = args.input.read()?;
    let budget = Budget {
        leak: args.max_leak,
        peak: args.max_peak,
        fragmentation: args.max_frag,
    };
    let verdict = Verdict::of(&reading.report, &args.input.fail_on, &budget);
    if args.input.json {
        let mut document = json::document(&reading.report);
        document["verdict"] =
            json!({ "passed": !verdict.has_failed(), "reasons": verdict.reasons });
        output::write_json(&document)?;
    } else {
        let sections = [
            Section::Processes,
            Section::Findings,
            Section::Leaks,
            Section::Quality,
            Section::Verdict,
        ];
        output::write_check(
            &reading.report,
            &sections,
            args.input.limit,
            &verdict.reasons,
        )?;
    }
    Ok(conclude(&reading, &verdict, args.input.allow_empty))
}
