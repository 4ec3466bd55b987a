//! `aclsan findings LOG…`: what the program did wrong, without leaks and numbers.
//!
//! The worst first; equal findings are folded and counted. `--json` writes `findings`, those about leaks among them.
//!
//! Exit codes as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::text::Section;

pub use crate::commands::section::Args;
use crate::commands::section::tell;

/// Writes that part of the report.
///
/// # Errors
/// As [`tell`].
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tell(args, &["findings"], &[Section::Findings])
}
