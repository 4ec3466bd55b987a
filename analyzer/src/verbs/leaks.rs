//! `aclsan leaks LOG…`: what nobody released, by the place that allocated it.
//!
//! Bytes, blocks, ages, family, device, thread and stack of each place; blocks that the final reset of their device took back are
//! told apart. Pointers whose allocation was not seen are listed behind, as no findings. `--json` writes `leaks`.
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
            &["leaks", "processes", "self"],
        ))?,
        false => output::write_text(
            &reading.report,
            &[
                Section::Processes,
                Section::Leaks,
                Section::UnknownOrigin,
                Section::Quality,
            ],
            args.input.limit,
        )?,
    }
    Ok(args.input.conclude(&reading))
}
