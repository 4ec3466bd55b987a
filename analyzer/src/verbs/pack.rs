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
//! refused.
//!
//! Exit codes: 0 packed, 2 usage, or a log that cannot be packed; the others are.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::input::Logs;
use crate::{notice, output, packing, whole_file};

/// Which logs.
#[derive(clap::Args)]
pub struct Args {
    /// Event logs, folders with `*.aclsan` files, or patterns such as `'out/*.aclsan'`
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Remove a log once what was written has been read back and is the same
    #[arg(long)]
    rm: bool,
    /// Write over packed logs that are there already
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
        if log.extension().is_some_and(|is| is == packing::EXTENSION) {
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
    let header = packing::open(path)?.header;
    if is_mapped(path, header.pid) {
        bail!("process {} still writes it", header.pid);
    }
    let packed = packing::name(path);
    if packed.exists() && !args.force {
        bail!(
            "`{}` is there already; `--force` writes over it",
            packed.display()
        );
    }
    let log = File::open(path)?;
    let length = log.metadata()?.len();
    whole_file::write_by(&packed, &mut |to| packing::pack(&log, length, to))?;
    if args.rm {
        let what = || format!("`{}` is no copy of it", packed.display());
        packing::compare(&packed, &log, length).with_context(what)?;
        fs::remove_file(path)?;
    }
    Ok(packed)
}

/// Whether the process that wrote a log has it in its memory. Another of the same number on another machine has not.
fn is_mapped(path: &Path, pid: u32) -> bool {
    let Ok(path) = fs::canonicalize(path) else {
        return false;
    };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let path = path.display().to_string();
    maps.lines().any(|line| line.ends_with(&path))
}
