//! `aclsan timeline LOG…`: live bytes over time.
//!
//! By family; in 2000 points at most, of which `--json` writes every one: no peak is lost. Epochs that the program told of
//! (`aclsan.h`, mstx) stand with them, as `annotations` in JSON.
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
    section::run(
        args,
        &["timeline", "annotations"],
        &[Section::Timeline, Section::Annotations, Section::Memory],
    )
}
