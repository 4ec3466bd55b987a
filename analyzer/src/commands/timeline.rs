//! `aclsan timeline LOG…`: shows live bytes over time.
//!
//! By family, in at most 2000 points, which `--json` writes completely; no peak is lost. Epochs that the program announced (`aclsan.h`, mstx)
//! are shown with them, as `annotations` in JSON.
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
    section::run(
        args,
        &["timeline", "annotations"],
        &[Section::Timeline, Section::Annotations, Section::Memory],
    )
}
