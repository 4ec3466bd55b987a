//! `aclsan attach PID`: watches a process that runs already.
//!
//! Loads the library into the process, without a debugger and without a restart, and redirects its calls of AscendCL to it; libraries that
//! the process loads later are redirected as they come. One thread stops for some milliseconds where it waits in a system call; the others
//! run on. The path of the log is printed: `aclsan top` and `aclsan serve` follow it. `aclsan detach` ends the watch.
//!
//! Blocks that were allocated before are of unknown origin: their releases are no findings and copies into them are not checked. The log
//! begins with the memory that is in use on the device, as the runtime says it, at the first allocation.
//!
//! Nothing is printed by the process, no block gets larger, and no signal is handled, unless options say otherwise: the options are
//! `mode=record:quiet=1:handle_signals=0` and those of `--set`. `guard=both`, `guard=page`, `quarantine_mb`, `leak_scan`, `libc_free` and
//! `host_access` need the start of the program.
//!
//! Calls through pointers that the process got from `dlsym` before are not seen; `aclsan doctor --pid` names them.
//!
//! Who may attach: the process's user if `/proc/sys/kernel/yama/ptrace_scope` is 0, root, and in a container whoever has SYS_PTRACE. A process
//! in another container gets a copy of the library if it does not see the file.
//!
//! Exit codes: 0 attached, 2 if it cannot be; the message says why.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use crate::attach::{self, Request, Target};
use crate::io::hints::Hints;
use crate::io::language::localized;
use crate::io::{notice, output};
use crate::run::settings::{Settings, pairs};
use crate::run::{log_path, preload};

/// Which process to watch, and how.
#[derive(clap::Args)]
pub struct Args {
    /// The process
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pid: i32,
    /// Where the log goes, as the process sees it: a folder, or a name with `%p` (process), `%h` (host), `%t` (start time)
    #[arg(short = 'o', long = "log", value_name = "PATH")]
    log: Option<String>,
    /// An option of the shim; see `ACLSAN_OPTIONS=help=1`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = Hints::<String>::new(pairs), hide_possible_values = true)]
    options: Vec<String>,
    /// Load this libaclsan.so
    #[arg(long, value_name = "PATH")]
    preload: Option<PathBuf>,
    /// Seconds to wait for a thread that can be stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

/// Attaches.
///
/// # Errors
/// If that is not possible.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let target = Target::new(args.pid)?;
    let shim = preload::find(args.preload.as_deref())?;
    let mut settings = Settings::default();
    for option in &args.options {
        let (key, value) = option
            .split_once('=')
            .with_context(|| format!("`--set {option}`: expected KEY=VALUE"))?;
        settings.set_checked(key, value)?;
    }
    let log = args.log.as_deref().unwrap_or(log_path::DEFAULT);
    if settings.get("log_path").is_none() {
        settings.set("log_path", log_path::absolute(&log_path::template(log)));
    }
    let options = settings.to_variable()?;
    let limit = Duration::from_secs(args.timeout);
    let log = attach::request(&target, &shim, &Request::Attach(&options), limit)?;
    notice::say(&localized(&format!(
        "attached to process {}; `aclsan top` shows what it holds, `aclsan detach {}` ends the watch",
        args.pid, args.pid
    )));
    output::write(format!("{}\n", log.display()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
