//! `aclsan frag LOG…`: how device memory is cut up, at the peak and at the end.
//!
//! By device and page class: what was asked for, what rounding and pages cost, spans and holes, `1 - L/F` (L the largest hole, F all
//! of them), and the share of free bytes that requests of 2, 64 and 512 MiB could not use. An estimate: only addresses are seen. Behind
//! it, by place: whose blocks keep holes apart, what rounding and pages cost and what would save it, churn, lifetimes, latencies.
//! Allocations that failed for want of memory come first, with what the log proves about the cause; one that succeeded after ten times
//! what half of its place's took is told with the free bytes that `aclrtGetMemInfo` had told of just before, if those were too few.
//! `--would-fit 512MiB` tells when such a request would have found a hole. `--json` writes `fragmentation`, `autopsies` and `allocations`.
//!
//! `--pool` tells of the pools that the program told of (`aclsan.h`, mstx) instead, and there is nothing to estimate then: live and free
//! bytes, holes, external fragmentation `1 - L/F`, internal fragmentation (what padding takes), the share of requests that were served
//! without the runtime, and how many requests came between the giving back of memory and its next use; all by size, too. Good, warning
//! and danger are the thresholds of the aclnn memory article: fragmentation 10 and 30 %, hit rate 90 and 70 %, allocations 10 and 50 µs,
//! zero-copy transfers 80 and 50 %. `--json` writes `annotations`, `allocations` and `transfers` then. The runtime's own pools
//! (`aclrtMemPoolMallocAsync`) come behind: what they hold is what they have given out since they were trimmed, since what they keep from
//! the driver is not seen; their hit rate is an upper bound. With each: its reuse policies, release threshold and trims as the program set
//! or read them, the used and reserved bytes that the runtime answered beside what the log shows, and live blocks that captured graphs name.
//!
//! Exit codes as `aclsan report`.

use std::process::ExitCode;

use aclsan_render::text::Section;

use crate::commands::section;
use crate::policy::quantity;
use crate::replay::ReportScope;
use crate::report::pipeline::Input;

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Tell when a request of so many bytes, such as `512MiB`, would have found a hole between blocks
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    would_fit: Option<u64>,
    /// Tell what goes on inside the pools that the program told of, and which copies need pinned memory
    #[arg(long, conflicts_with = "would_fit")]
    pool: bool,
}

/// Writes that part of the report.
///
/// # Errors
/// When no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reading = args.input.read_scope(ReportScope::All(args.would_fit))?;
    if args.pool {
        return section::write(
            &args.input,
            &reading,
            &["annotations", "allocations", "transfers"],
            &[Section::Pools, Section::Transfers],
        );
    }
    section::write(
        &args.input,
        &reading,
        &["fragmentation", "autopsies", "allocations"],
        &[
            Section::Autopsies,
            Section::Fragmentation,
            Section::Slack,
            Section::Churn,
        ],
    )
}
