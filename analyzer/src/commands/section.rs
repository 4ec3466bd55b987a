//! What the verbs that tell one part of the report have in common.

use std::process::ExitCode;

use aclsan_render::json;
use aclsan_render::text::Section;

use crate::io::output;
use crate::report::pipeline::{Input, Reading};

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
}

/// Reads the logs and writes a part of their report: `members` of the JSON, `sections` in text; around it the processes and what is to be
/// known of the reading.
///
/// # Errors
/// When no log can be read or standard output cannot be written.
pub fn run(args: Args, members: &[&str], sections: &[Section]) -> anyhow::Result<ExitCode> {
    let reading = args.input.read()?;
    write(&args.input, &reading, members, sections)
}

/// Writes a part of the report on logs that were read.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(
    input: &Input,
    reading: &Reading,
    members: &[&str],
    sections: &[Section],
) -> anyhow::Result<ExitCode> {
    match input.json {
        true => {
            let members = [members, &["processes", "self"]].concat();
            let parts = json::Parts {
                only: Some(&members),
                more: None,
            };
            output::write_report(&reading.report, parts)?;
        }
        false => {
            let sections = [&[Section::Processes], sections, &[Section::Quality]].concat();
            output::write_text(&reading.report, &sections, input.limit)?;
        }
    }
    Ok(input.conclude(reading))
}
