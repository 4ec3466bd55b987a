//! `aclsan leaks LOG…`: shows what was never released, by allocation site.
//!
//! Bytes, blocks, ages, family, device, thread and stack of each site; blocks that the final reset of their device freed are marked. Pointers
//! whose allocation was not seen are listed last, and are not findings. Pools and epochs that the program announced (`aclsan.h`, mstx) are
//! shown with them. `--by site|stack|thread|device|family|age|epoch|class` sums leaks up in a table instead. `--json` writes `leaks` and
//! `annotations`, with `--by` also `by`.
//!
//! Bytes over time are not accounted, which makes this the fastest command on a long log. The summary therefore counts errors, but no warnings
//! and notes; unless `--fail-on` names more than errors, or the user's own suppressions are given, whose use is reported.
//!
//! Exit codes: as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::json;
use aclsan_render::model::{GroupBy, leak_groups};
use aclsan_render::text::Section;
use serde_json::json;

use crate::commands::section;
use crate::io::output;
use crate::report::pipeline::Input;

const MEMBERS: [&str; 2] = ["leaks", "annotations"];

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Sum leaks up by one of their properties
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<What>,
}

/// [`GroupBy`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    Site,
    Stack,
    Thread,
    Device,
    Family,
    Age,
    Epoch,
    Class,
}

impl What {
    fn by(self) -> GroupBy {
        match self {
            Self::Site => GroupBy::Site,
            Self::Stack => GroupBy::Stack,
            Self::Thread => GroupBy::Thread,
            Self::Device => GroupBy::Device,
            Self::Family => GroupBy::Family,
            Self::Age => GroupBy::Age,
            Self::Epoch => GroupBy::Epoch,
            Self::Class => GroupBy::Class,
        }
    }
}

/// Writes this part of the report.
///
/// # Errors
/// If no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reading = args.input.read_leaks()?.kept();
    let Some(by) = args.by.map(What::by) else {
        let sections = [Section::Leaks, Section::Annotations, Section::UnknownOrigin];
        return section::write(&args.input, &reading, &MEMBERS, &sections);
    };
    let groups = leak_groups(&reading.report, by);
    if args.input.json {
        let members = [&MEMBERS[..], &["processes", "self"]].concat();
        let reported = json!({ "what": by.name(), "groups": groups });
        let parts = json::Parts {
            only: Some(&members),
            more: Some(("by", &reported)),
        };
        output::write_report(&reading.report, parts)?;
    } else {
        output::write_groups(&reading.report, by, &groups, args.input.limit)?;
    }
    Ok(args.input.conclude(&reading))
}
