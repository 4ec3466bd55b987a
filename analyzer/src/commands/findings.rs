//! `aclsan findings LOG…`: shows what the program did wrong, without leaks and numbers.
//!
//! The worst come first; equal findings are merged and counted. `--json` writes `findings`, including those about leaks.
//!
//! Exit codes: as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::text::Section;

use crate::commands::section;
pub use crate::commands::section::Args;

/// Writes this part of the report.
///
/// # Errors
/// As [`section::run`].
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let sections = [Section::Overview, Section::Findings, Section::Facts];
    section::run(args, &["findings"], &sections)
}
