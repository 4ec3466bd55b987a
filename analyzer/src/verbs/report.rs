//! `aclsan report LOG…`: everything that the logs show.
//!
//! Findings, leaks by allocation site, memory by family, fragmentation, and what the evidence lacks. Several logs, a folder or a
//! pattern give one report: processes of one run that did the same are folded.
//!
//! ```text
//! aclsan report aclsan-host-4711.aclsan
//! aclsan report --json out/ | jq '.findings[].rule'
//! ```
//!
//! Exit codes: 0 clean, 1 findings at or above `--fail-on`, 2 usage or an unreadable log, 3 no AscendCL call observed.

use std::process::ExitCode;

use aclsan_render::json;
use aclsan_render::text::WHOLE;

use crate::input::Input;
use crate::output;

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
}

/// Writes the report.
///
/// # Errors
/// When no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reading = args.input.read()?;
    match args.input.json {
        true => output::write_json(&json::document(&reading.report))?,
        false => output::write_text(&reading.report, &WHOLE, args.input.limit)?,
    }
    Ok(args.input.conclude(&reading))
}
