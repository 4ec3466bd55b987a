//! `aclsan leaks LOG…`: what nobody released, by the place that allocated it.
//!
//! Bytes, blocks, ages, family, device, thread and stack of each place; blocks that the final reset of their device took back are
//! told apart. Pointers whose allocation was not seen are listed behind, as no findings. Pools and epochs that the program told of
//! (`aclsan.h`, mstx) stand with them. `--json` writes `leaks` and `annotations`.
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
    tell(
        args,
        &["leaks", "annotations"],
        &[Section::Leaks, Section::Annotations, Section::UnknownOrigin],
    )
}
