//! `aclsan account LOG…`: shows who holds a device's memory at one moment, in rows that add up to what the runtime says is in use.
//!
//! Every block has one holder: a pool that the program or its framework announced (`aclsan.h`, mstx), with what its parts are for and what it
//! holds unused; modules of CANN, whose libraries say for which module they
//! allocate (HCCL, GE, …); graphs, whose blocks were allocated while they were captured; models, to which the program gave memory; the runtime's own
//! stream-ordered pools; physical memory for mappings; the program itself, by allocation site. Redzones and the rounding to pages follow, then
//! other processes of the same machine whose logs are given, too. What `aclrtGetMemInfo` says is in use beyond all these is shown as *not
//! explained*, with its sign: what the runtime keeps for streams, events and communicators, and processes without a log. aclsan asks the
//! runtime itself, after the first allocation, at epochs and snapshots, when an allocation is refused and before a device is reset
//! (option `account`); what this process took and returned since the last answer is counted in.
//!
//! `--at` is the moment: `peak` (of each device, the default), `end`, `oom` (the first allocation that was refused for lack of memory), or the
//! name of an epoch, mark, range or snapshot: its last start. `--since` takes another, and shows what each holder has more or less since then. Then
//! follows what the process holds on the host for its devices: page-locked and registered memory, and live objects of the runtime by kind,
//! with the site that made most of them.
//!
//! `--json` writes `devices` (`capacity`, `in_use`, `source`, `owners`, `other_processes`, `residual`: the sum is exact) and `hosts`.
//!
//! Exit codes: 0; 2 if a log cannot be read or has no such moment: the others are shown all the same.

use std::process::ExitCode;

use anyhow::bail;

use crate::account::{At, Question, accounts};
use crate::io::{notice, output};
use crate::report::pipeline::Logs;

/// Which logs, and when.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    logs: Logs,
    /// The moment: `peak`, `end`, `oom`, or the name of an epoch, mark, range or snapshot
    #[arg(long, value_name = "MOMENT", default_value = "peak")]
    at: At,
    /// Show what changed since this moment
    #[arg(long, value_name = "MOMENT")]
    since: Option<At>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Writes the accounts.
///
/// # Errors
/// If no log can be read or has such a moment, or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let question = Question {
        at: args.at,
        since: args.since,
    };
    let (accounts, refused) = accounts(&args.logs, &question)?;
    if accounts.hosts.is_empty() {
        bail!("{}", refused.join("\naclsan: "));
    }
    match args.json {
        true => output::write_json(&serde_json::to_value(&accounts)?)?,
        false => output::write_account(&accounts)?,
    }
    refused.iter().for_each(|sentence| notice::say(sentence));
    Ok(match refused.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(2),
    })
}
