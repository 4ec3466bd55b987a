//! `aclsan timeline LOG…`: live bytes over time.
//!
//! By family; in 2000 points at most, of which `--json` writes every one: no peak is lost.
//!
//! Exit codes as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::json;
use aclsan_render::text::Section;

use crate::input::Input;
use crate::output;

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
}

/// Writes that part of the report.
///
/// # Errors
/// When no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reading = args.input.read()?;
    match args.input.json {
        true => output::write_json(&json::part(
            &reading.report,
            &["timeline", "processes", "self"],
        ))?,
        false => output::write_text(
            &reading.report,
            &[
                Section::Processes,
                Section::Timeline,
                Section::Memory,
                Section::Quality,
            ],
            args.input.limit,
        )?,
    }
    Ok(args.input.conclude(&reading))
}
