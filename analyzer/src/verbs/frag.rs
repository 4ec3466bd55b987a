//! `aclsan frag LOG…`: how device memory is cut up, at the peak and at the end.
//!
//! By device and page class: what was asked for, what rounding and pages cost, spans and holes, `1 - L/F` (L the largest hole, F all
//! of them), and the share of free bytes that requests of 2, 64 and 512 MiB could not use. An estimate: only addresses are seen.
//! `--json` writes `fragmentation`.
//!
//! Exit codes as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::text::Section;

pub use crate::part::Args;
use crate::part::tell;

/// Writes that part of the report.
///
/// # Errors
/// As [`tell`].
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tell(args, &["fragmentation"], &[Section::Fragmentation])
}
