//! `aclsan findings LOG…`: what the program did wrong, without leaks and numbers.
//!
//! The worst first; equal findings are folded and counted. `--json` writes `findings`, those about leaks among them.
//!
//! Exit codes as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::text::Section;

use crate::commands::section;
pub use crate::commands::section::Args;

/// Writes that part of the report.
///
/// # Errors
/// As [`run`].
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    section::run(args, &["findings"], &[Section::Findings])
}
