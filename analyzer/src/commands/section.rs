//! What the commands that show one part of the report share.

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

/// Reads the logs and writes a part of their report: `members` in JSON, `sections` in text, with the processes and the quality of the logs.
///
/// # Errors
/// If no log can be read or standard output cannot be written.
pub fn run(args: Args, members: &[&str], sections: &[Section]) -> anyhow::Result<ExitCode> {
    let reading = args.input.read()?;
    write(&args.input, &reading, members, sections)
}

/// Writes a part of a report.
///
/// # Errors
/// If standard output cannot be written.
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
            let sections = [
                &[Section::Ends, Section::Processes],
                sections,
                &[Section::Quality],
            ]
            .concat();
            output::write_text(&reading.report, &sections, input.limit)?;
        }
    }
    Ok(input.conclude(reading))
}
