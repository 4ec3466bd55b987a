//! `aclsan plan LOG…`: shows what a recorded run would have needed with other settings or another allocator, without running it again.
//!
//! The log has every request to the program's pool: its size, its stream, and when it came back. They are replayed on a model of an allocator,
//! which says how much it would have reserved of the device, when that was most, how much of it nobody used, and whether everything would
//! have fitted into a card, beside what the rest of the process, the runtime and other processes took. If not: which request would have been refused
//! first, and who held the memory then.
//!
//! ```text
//! aclsan plan run.aclsan                                        the recorded allocator
//! aclsan plan --conf expandable_segments:True --card 32GiB run.aclsan
//! aclsan plan --sweep run.aclsan                                all settings worth trying, the best first
//! ```
//!
//! A pool that reports its parts (torch_npu's cache through mstx, `aclsan.h`) is the allocator; without one, the program's own blocks are
//! the requests. Memory snapshots of PyTorch and torch_npu are read, too. `--conf` takes what `PYTORCH_NPU_ALLOC_CONF` and `PYTORCH_CUDA_ALLOC_CONF` take, and
//! `per_process_memory_fraction`, which programs set by a call. `--allocator` takes another model:
//!
//! | name | what it is |
//! |---|---|
//! | `torch_npu`, `torch_cuda` | the caching allocators of torch_npu and of PyTorch for CUDA, 2.1 to 2.9 |
//! | `stream-ordered` | a pool of the runtime (`aclrtMemPoolMallocAsync`): pieces of 2 MiB, reused on their stream |
//! | `direct` | no pool: an `aclrtMalloc` for each request, in pages of 2 MiB from 1 MiB on |
//! | `first-fit`, `buddy`, `tlsf` | one pool cut by hand: what it would have to be made with |
//!
//! Sizes are those of the tensors that were made of the memory; without one, that of the block that the request got, up to 1 MiB more.
//! The model of the recorded settings is compared with what the pool said it held: if they differ, the settings were others, and
//! figures may be off by as much. For other settings, the device is taken to give the lowest addresses that are free.
//!
//! `--grow 8=warm,16=full` takes two epochs of the program (`aclsan.h`, mstx, annotations of snapshots) that did the same in two sizes, and
//! extrapolates: how much each unit of size takes, where, and the largest size that fits.
//!
//! `--json` writes an object for each plan, in an array if there are several: `setting`, `reserved_peak`, `allocated_peak`, `at`, `fits`
//! (`null` if the card is not known), `first_refused`,
//! `growth`.
//!
//! Exit codes: 0; 1 if nothing that was asked for fits; 2 if a log cannot be read or has no request: the others are shown all the same.

use std::process::ExitCode;

use anyhow::bail;

use crate::io::{notice, output};
use crate::plan::{Grow, Model, Question, plans};
use crate::policy::quantity;
use crate::report::pipeline::Logs;

/// Which logs, and which settings.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    logs: Logs,
    /// Settings of a caching allocator, `KEY:VALUE,…`; may be repeated [default: as recorded]
    #[arg(long, value_name = "SETTINGS")]
    conf: Vec<String>,
    /// Another allocator; may be repeated
    #[arg(long, value_name = "NAME")]
    allocator: Vec<Model>,
    /// Try all settings and allocators that are worth trying
    #[arg(long)]
    sweep: bool,
    /// Bytes of the card, such as `64GiB` [default: what the runtime said]
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    card: Option<u64>,
    /// The device [default: the one whose pool gave out most]
    #[arg(long, value_name = "NUMBER")]
    device: Option<i32>,
    /// Two epochs and their sizes: what is the largest size that fits?
    #[arg(long, value_name = "SIZE=EPOCH,SIZE=EPOCH")]
    grow: Option<Grow>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Writes the plans.
///
/// # Errors
/// If no log can be read or has a request, settings make no sense, or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let question = Question {
        models: args.allocator,
        settings: args.conf,
        sweep: args.sweep,
        card: args.card,
        device: args.device,
        grow: args.grow,
    };
    let (plans, refused) = plans(args.logs, &question)?;
    if plans.is_empty() {
        bail!("{}", refused.join("\naclsan: "));
    }
    match args.json {
        true => output::write_json(&aclsan_render::plan::to_json(&plans)?)?,
        false => output::write_plans(&plans)?,
    }
    refused.iter().for_each(|sentence| notice::say(sentence));
    let mut fits = plans.iter().flat_map(|plans| &plans.plans);
    Ok(match refused.is_empty() {
        false => ExitCode::from(2),
        true if fits.all(|plan| plan.fits == Some(false)) => ExitCode::FAILURE,
        true => ExitCode::SUCCESS,
    })
}
