//! `aclsan detach PID`: ends the watch that `aclsan attach` began.
//!
//! The calls of the process go to the runtime again, and its log ends; blocks that are live then are no leaks. The library stays in the
//! process and does nothing. Pointers to calls that the process got from `dlsym` during the watch go through it, and are not recorded. The
//! process can be attached to again, and gets another log.
//!
//! The path of the log is printed.
//!
//! Exit codes: 0 detached, 2 if that is not possible; the message says why.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::attach::{self, Request, Target};
use crate::io::output;
use crate::run::preload;

/// Which process.
#[derive(clap::Args)]
pub struct Args {
    /// The process
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pid: i32,
    /// Seconds to wait for a thread that can be stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

/// Detaches.
///
/// # Errors
/// If that is not possible.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let target = Target::new(args.pid)?;
    let limit = Duration::from_secs(args.timeout);
    let log = attach::request(&target, Path::new(preload::FILE), &Request::Detach, limit)?;
    output::write(format!("{}\n", log.display()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
