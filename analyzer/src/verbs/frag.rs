//! `aclsan frag LOG…`: how device memory is cut up, at the peak and at the end.
//!
//! By device and page class: what was asked for, what rounding and pages cost, spans and holes, `1 - L/F` (L the largest hole, F all
//! of them), and the share of free bytes that requests of 2, 64 and 512 MiB could not use. An estimate: only addresses are seen.
//! `--json` writes `fragmentation`.
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
            &["fragmentation", "processes", "self"],
        ))?,
        false => output::write_text(
            &reading.report,
            &[Section::Processes, Section::Fragmentation, Section::Quality],
            args.input.limit,
        )?,
    }
    Ok(args.input.conclude(&reading))
}
