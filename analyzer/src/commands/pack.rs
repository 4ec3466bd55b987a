//! `aclsan pack LOG…`: compresses logs to a third or a tenth of their size, as `LOG.zst` beside each.
//!
//! All commands read packed logs directly, also from folders, where a log beside its packed form counts once. They are Zstandard files in
//! frames that can be read one by one: `zstd -d LOG.zst` restores the log.
//!
//! ```text
//! aclsan pack --rm logs/ && aclsan report logs/
//! ```
//!
//! `--rm` removes a log after its packed form was read back and found equal, byte by byte. A log that a program still writes is refused, in
//! any container that program runs in. If that cannot be determined, because the process belongs to another user, `--force` is needed.
//! `--force` also overwrites an existing packed log, unless it belongs to another run.
//!
//! Exit codes: 0 packed, 2 usage, or a log that cannot be packed; the other logs are.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aclsan_log::{Event, Log};
use anyhow::{Context, bail};

use crate::io::notice;
use crate::io::output::{self, Output};
use crate::logs::writer::{self, Survey, Writer};
use crate::logs::{atomic_file, in_memory, packed, standard_input};
use crate::report::pipeline::Logs;

/// Which logs.
#[derive(clap::Args)]
pub struct Args {
    /// Event logs, folders with `*.aclsan` files, patterns such as `'out/*.aclsan'`, or `-`, from standard input to standard output
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Remove a log after its packed form was read back and found equal
    #[arg(long)]
    rm: bool,
    /// Overwrite existing packed logs, never another run's, and pack logs that may still be written
    #[arg(short, long)]
    force: bool,
}

/// Packs the logs and prints the paths of the packed forms.
///
/// # Errors
/// If an argument names nothing, or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for log in Logs::of(args.logs.clone()).files()? {
        let shown = in_memory::shown(&log);
        if shown == Path::new(standard_input::NAME) {
            pack_input(&log, &args)?;
            continue;
        }
        if in_memory::is_kept(&log) {
            let shown = shown.display();
            bail!("`{shown}` is another tool's recording: pack what `aclsan import` makes of it");
        }
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

/// Writes the packed form of the log on standard input to standard output.
fn pack_input(log: &Path, args: &Args) -> anyhow::Result<()> {
    if args.rm {
        bail!("`--rm` removes a file, and `-` is none");
    }
    packed::open(log)?;
    let log = File::open(log)?;
    let length = log.metadata()?.len();
    let mut out = Output::plain();
    packed::pack(&log, length, &mut out)
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

fn pack(path: &Path, args: &Args) -> anyhow::Result<PathBuf> {
    let read = packed::open(path)?;
    let pid = read.header.pid;
    let log = File::open(path)?;
    match writer::of(&log, pid, &mut Survey::default()) {
        Writer::Runs(_) => bail!("process {pid} still writes it"),
        Writer::Unknown if !args.force && !has_ended(&read) => bail!(
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
    // Whoever may not read the log may not read its packed form.
    let mode = log.metadata()?.permissions().mode();
    atomic_file::write_by(&packed, Some(mode), &mut |to| {
        packed::pack(&log, length, to)
    })?;
    if args.rm {
        let what = || format!("`{}` is no copy of it", packed.display());
        packed::compare(&packed, &log, length).with_context(what)?;
        fs::remove_file(path)?;
    }
    Ok(packed)
}

/// Whether the log has an end mark.
fn has_ended(log: &Log) -> bool {
    log.events().any(|timed| timed.event == Event::Exit)
}
