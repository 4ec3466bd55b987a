//! `aclsan serve [LOG…]`: serves what running programs hold, for Prometheus and for a browser.
//!
//! Follows logs as `aclsan top` does, and answers at `--listen`, 127.0.0.1:9464 if nothing else is asked for:
//!
//! | path | answers |
//! |---|---|
//! | `/metrics` | OpenMetrics: live and peak bytes by process, device, family and category, live bytes by pool, allocations, releases, calls, refused calls, findings by rule, lost events, and the sites that hold most with their growth |
//! | `/healthz` | 200 while logs are read, 503 otherwise, with the number of processes as JSON |
//! | `/` | the report's page, loaded again as logs grow |
//!
//! Without an argument, it is every log in this folder. A folder may be empty: logs are found as they begin.
//!
//! Only this machine is answered. `--allow-remote` lets others read everything that the logs contain: there is neither a password nor
//! encryption. Requests and answers are bounded in size, time and number, and none waits for a log: it gets what the last look has left, with
//! the header `Age`, its seconds since. Until the first report is finished, `/report` answers 503 and asks to be loaded again. When all
//! connections are taken, `/metrics` and `/healthz` are answered still.
//!
//! Processes may come and go for weeks. The log of one that has ended is closed at once. It is shown for `--keep`, an hour if nothing else is
//! asked for, unless its log was removed or more than 1,000 have ended since; a log that is named by itself stays. Once it is forgotten, its
//! counters are in the series with the labels `pid="other"` and `program="other"`, which has the sums of all processes beyond 100, too: sums
//! over all series never fall. `ulimit -n` bounds how many logs are open; others wait until some have ended, and `/healthz` says so.
//!
//! Metrics and the report omit what `aclsan report` omits; `--suppressions` names more.
//!
//! Exit codes: 2 if it cannot listen, or an argument names nothing. It runs until it is ended.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::io::language::localized;
use crate::io::notice;
use crate::policy::{quantity, suppress};
use crate::report::pipeline::Logs;
use crate::serve;
use crate::watch::{Settings, Watch};

/// What to serve, and where.
#[derive(clap::Args)]
pub struct Args {
    /// Logs, folders with `*.aclsan` files, or patterns
    #[arg(value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Address and port to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9464", value_parser = serve::address)]
    listen: SocketAddr,
    /// Let other machines read what is served
    #[arg(long)]
    allow_remote: bool,
    /// For how long a process that has ended is shown: 90s, 30m, 1h, 7d
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1h")]
    keep: Duration,
    #[command(flatten)]
    suppressing: suppress::Choice,
}

/// Serves until the process is ended.
///
/// # Errors
/// If an argument names nothing, or the address cannot be listened at.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let logs = match args.logs.is_empty() {
        true => vec![PathBuf::from(".")],
        false => args.logs,
    };
    let settings = Settings {
        suppressions: args.suppressing.read()?,
        keep: args.keep,
    };
    // Of its own for the thread that makes reports.
    let suppressions = args.suppressing.read()?;
    let listener = serve::listen(args.listen, args.allow_remote)?;
    let watch = Watch::new(logs, Logs::of(Vec::new()).symbols()?, settings)?;
    let address = listener.local_addr()?;
    notice::say(&localized(&format!("listening at http://{address}/")));
    serve::serve(&listener, watch, suppressions, args.allow_remote)?;
    Ok(ExitCode::SUCCESS)
}
