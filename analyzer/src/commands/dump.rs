//! `aclsan dump LOG`: writes a log's events as JSON lines, in order of time; `--definitions` writes what they refer to instead.
//!
//! Every line has `ns` (since the log began), `tid` and `event`; the other members depend on the event. Functions are given by name, addresses
//! as hex strings, blocks by the numbers that allocations, releases and guards share. `site` refers to the stacks of `--definitions`.
//!
//! ```text
//! aclsan dump LOG | jq 'select(.event == "allocation") | .size'
//! ```

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;

use crate::io::notice;
use crate::io::output::Output;
use crate::logs::in_memory;
use crate::report::dump;
use crate::report::pipeline::Logs;

/// Which log, and which part of it.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    logs: Logs,
    /// Write functions, sites, modules, codes and properties instead of events
    #[arg(long)]
    definitions: bool,
}

/// Writes the lines, then prints to standard error what could not be read.
///
/// # Errors
/// If the log cannot be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let log = args.logs.one()?;
    let mut out = Output::plain();
    let cannot = "cannot write to standard output";
    if args.definitions {
        for line in dump::definitions(&log) {
            writeln!(out, "{line}").context(cannot)?;
        }
    } else {
        let mut events = log.events();
        for timed in events.by_ref() {
            writeln!(out, "{}", dump::line(&log, &timed)).context(cannot)?;
            if out.is_closed() {
                break;
            }
        }
        for damage in log.damage.iter().chain(events.damage()) {
            let path = in_memory::shown(&log.path);
            notice::say(&format!("`{}`: {damage}", path.display()));
        }
    }
    out.flush().context(cannot)?;
    Ok(ExitCode::SUCCESS)
}
