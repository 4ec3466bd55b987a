//! `aclsan pack LOG…`: logs to keep, a third to a tenth as large, as `LOG.zst` beside each.
//!
//! Every verb reads packed logs as they are, from folders too, where a log that lies beside its packed form counts once. They are
//! Zstandard files in frames that can be read one by one: `zstd -d LOG.zst` gives the log back.
//!
//! ```text
//! aclsan pack --rm logs/ && aclsan report logs/
//! ```
//!
//! `--rm` removes a log once its packed form has been read back and is the same, byte by byte. A log that a program still writes is
//! refused, in whatever container it runs; one of which nobody can tell, because the process is another user's, is refused without `--force`.
//! A packed log that is there already is written over with `--force`, unless it is of another run.
//!
//! Exit codes: 0 packed, 2 usage, or a log that cannot be packed; the others are.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aclsan_log::{Event, Log};
use anyhow::{Context, bail};
use rustix::process::{Flock, FlockType, fcntl_getlk};

use crate::io::notice;
use crate::io::output;
use crate::logs::atomic_file;
use crate::logs::packed;
use crate::report::pipeline::Logs;

/// Which logs.
#[derive(clap::Args)]
pub struct Args {
    /// Event logs, folders with `*.aclsan` files, or patterns such as `'out/*.aclsan'`
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Remove a log once what was written has been read back and is the same
    #[arg(long)]
    rm: bool,
    /// Write over packed logs that are there already, never over another run's, and pack logs of which nobody can tell whether they are still written
    #[arg(short, long)]
    force: bool,
}

/// Packs the logs and prints the paths of what was written.
///
/// # Errors
/// When an argument stands for nothing, or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for log in Logs::of(args.logs.clone()).files()? {
        if log.extension().is_some_and(|is| is == packed::EXTENSION) {
            continue;
        }
        match pack(&log, &args) {
            Ok(packed) => output::write(format!("{}\n", packed.display()).as_bytes())?,
            Err(error) => {
                notice::say(&format!("cannot pack `{}`: {error:#}", log.display()));
                code = ExitCode::from(2);
            }
        }
    }
    Ok(code)
}

fn pack(path: &Path, args: &Args) -> anyhow::Result<PathBuf> {
    let read = packed::open(path)?;
    let pid = read.header.pid;
    let log = File::open(path)?;
    match writer(path, &log, pid) {
        Writer::Writes => bail!("process {pid} still writes it"),
        Writer::Hidden if !args.force && !has_ended(&read) => bail!(
            "nobody but its owner can tell whether process {pid} still writes it, and it has no end mark; `--force` packs it all the same"
        ),
        _ => {}
    }
    let packed = packed::name(path);
    if packed.exists() {
        match packed::header(&packed) {
            Some(other) if other != read.header => bail!(
                "`{}` is there already and has another run, of process {}: give one of them another name",
                packed.display(),
                other.pid
            ),
            _ if !args.force => bail!(
                "`{}` is there already; `--force` writes over it",
                packed.display()
            ),
            _ => {}
        }
    }
    let length = log.metadata()?.len();
    atomic_file::write_by(&packed, &mut |to| packed::pack(&log, length, to))?;
    if args.rm {
        let what = || format!("`{}` is no copy of it", packed.display());
        packed::compare(&packed, &log, length).with_context(what)?;
        fs::remove_file(path)?;
    }
    Ok(packed)
}

/// What is known of the process that wrote a log.
enum Writer {
    Gone,
    Writes,
    /// There is one of its number, and what it has in its memory is not ours to know.
    Hidden,
}

fn writer(path: &Path, log: &File, pid: u32) -> Writer {
    if is_locked(log) {
        return Writer::Writes;
    }
    match fs::read_to_string(format!("/proc/{pid}/maps")) {
        Ok(maps) if is_mapped(path, &maps) => Writer::Writes,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Writer::Hidden,
        _ => Writer::Gone,
    }
}

/// Whether the process that writes a log holds the lock that the shim takes: in whatever namespace it is, and whoever's.
fn is_locked(log: &File) -> bool {
    let all = Flock::from(FlockType::WriteLock);
    // Where a file system has no locks, there is none.
    fcntl_getlk(log, &all).is_ok_and(|held| held.is_some())
}

/// Whether a process has a log in its memory. Another of the same number on another machine has not.
fn is_mapped(path: &Path, maps: &str) -> bool {
    let Ok(path) = fs::canonicalize(path) else {
        return false;
    };
    let path = path.display().to_string();
    maps.lines().any(|line| line.ends_with(&path))
}

/// Whether the process told that it ended.
fn has_ended(log: &Log) -> bool {
    log.events().any(|timed| timed.event == Event::Exit)
}
