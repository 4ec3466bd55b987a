//! `aclsan frag LOG…`: shows how device memory is fragmented, at the peak and at the end.
//!
//! By device and page class: bytes requested, what rounding and pages add, spans and holes, `1 - L/F` (L the largest hole, F all of them), and
//! the share of free bytes that requests of 2, 64 and 512 MiB could not use. These are estimates: only addresses are seen. Then, by allocation
//! site: whose blocks separate holes, what rounding and pages cost and what would save it, churn, lifetimes, latencies. Allocations that failed
//! for lack of memory come first, with what the log proves about the cause. An allocation that took ten times its site's median is listed with
//! the free bytes that `aclrtGetMemInfo` had reported just before, if those were too few. `--would-fit 512MiB` shows when such a request would
//! have found a hole. `--json` writes `fragmentation`, `autopsies` and `allocations`.
//!
//! `--pool` shows the pools that the program announced (`aclsan.h`, mstx) instead. Nothing is estimated then: live and free bytes, holes,
//! external fragmentation `1 - L/F`, internal fragmentation (padding), the share of requests served without the runtime, and the number of
//! requests between the return of memory and its next use; all by size, too. Good, warning and danger are the thresholds of the aclnn memory
//! article: fragmentation 10 and 30 %, hit rate 90 and 70 %, allocations 10 and 50 µs, zero-copy transfers 80 and 50 %. `--json` then writes
//! `annotations`, `allocations` and `transfers`. The runtime's own pools (`aclrtMemPoolMallocAsync`) come last. What they hold is what they
//! have given out since they were trimmed, since memory that they keep from the driver is not seen; their hit rate is an upper bound. Each is
//! shown with its reuse policies, release threshold and trims as the program set or read them, with the used and reserved bytes that the
//! runtime reported beside what the log shows, and with live blocks that captured graphs use.
//!
//! Exit codes: as `aclsan report`.

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
    /// Show when a request of this size, such as `512MiB`, would have found a hole between blocks
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    would_fit: Option<u64>,
    /// Show statistics of the pools that the program announced, and which copies need pinned memory
    #[arg(long, conflicts_with = "would_fit")]
    pool: bool,
}

/// Writes this part of the report.
///
/// # Errors
/// If no log can be read or standard output cannot be written.
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
