//! `aclsan import FILE…`: converts another tool's recording into event logs, for all other commands.
//!
//! It reads msMemScope's `memscope_dump_*.csv` and `memscope_dump_*.db` (and its former `leaks_dump`), and writes a log for each process in
//! them, beside the file or where `-o` says. What that tool does not record is in no report: which AscendCL call it was, copies, streams. It
//! sees the driver's calls, including the runtime's own, so what is live at the end is reported with a doubt, as a warning.
//!
//! ```text
//! aclsan import memscope_dump_1746006014.csv && aclsan frag memscope_dump_1746006014-4711.aclsan
//! aclsan import -o logs/ device_0/dump/*.db && aclsan report --html report.html logs/
//! ```
//!
//! Sub-blocks of pools (`PTA`, `ATB`, `MINDSPORE`) become pools within the driver's blocks; if a file has no driver rows, they become blocks of
//! their own. A row that makes no sense ends the import with its line, column and value; `--skip-bad` skips such rows and lists them.
//!
//! Exit codes: 0 written, 2 usage or a file that cannot be imported, 3 nothing in it that an event log could hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::io::notice;
use crate::io::output;
use crate::logs::atomic_file;
use crate::logs::readers::memscope;
use crate::logs::standard_input;

/// Most bad rows printed one by one.
const MAX_REPORTED: usize = 10;

/// What to read, and where to write.
#[derive(clap::Args)]
pub struct Args {
    /// Recordings of msMemScope: `memscope_dump_*.csv` or `.db`; `-` is standard input, with `-o`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A log's path, or a folder for logs [default: beside each file]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Skip rows that make no sense, and list them
    #[arg(long)]
    skip_bad: bool,
}

/// Writes the logs and prints their paths.
///
/// # Errors
/// If a file cannot be imported, or a log cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut written = Vec::new();
    for file in &args.files {
        import(file, &args, &mut written)?;
    }
    for path in &written {
        output::write(format!("{}\n", path.display()).as_bytes())?;
    }
    Ok(ExitCode::from(if written.is_empty() { 3 } else { 0 }))
}

fn import(file: &Path, args: &Args, written: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let given = match standard_input::is_meant(file) {
        true if args.output.is_none() => bail!("`-` has no folder for the log: name one with `-o`"),
        true => standard_input::path()?,
        false => file.to_owned(),
    };
    let table = memscope::read(&given, args.skip_bad)?;
    let name = file.display();
    for fault in table.skipped.iter().take(MAX_REPORTED) {
        notice::say(&format!("`{name}` {fault}: left out"));
    }
    if table.skipped.len() > MAX_REPORTED {
        notice::say(&format!(
            "{} rows of `{name}` were left out",
            table.skipped.len()
        ));
    }
    let logs = memscope::logs(&table, &name.to_string());
    if logs.iter().all(|log| log.events == 0) {
        notice::say(&format!(
            "`{name}` tells of no memory: {} rows of other events; was msMemScope told to record allocations and releases?",
            table.ignored
        ));
        return Ok(());
    }
    let is_file = args
        .output
        .as_ref()
        .is_some_and(|path| !path.is_dir() && path.extension().is_some());
    for log in logs.iter().filter(|log| log.events > 0) {
        let path = match &args.output {
            Some(path) if is_file => {
                if logs.len() > 1 || args.files.len() > 1 {
                    bail!(
                        "`{}` is one log, and there are several to write: name a folder",
                        path.display()
                    );
                }
                path.clone()
            }
            place => {
                let stem = file
                    .file_stem()
                    .unwrap_or(file.as_os_str())
                    .to_string_lossy();
                let name = format!("{stem}-{}.aclsan", log.pid);
                let folder = place.as_deref().or(file.parent()).unwrap_or(Path::new(""));
                if !folder.as_os_str().is_empty() {
                    fs::create_dir_all(folder)
                        .with_context(|| format!("cannot make folder `{}`", folder.display()))?;
                }
                folder.join(name)
            }
        };
        if path.exists() {
            bail!(
                "`{}` is there already: move it away, or name another place with `-o`",
                path.display()
            );
        }
        if log.unmatched_releases > 0 {
            notice::say(&format!(
                "`{name}`: {} releases of process {} belong to no allocation in it, and were left out",
                log.unmatched_releases, log.pid
            ));
        }
        atomic_file::write(&path, &log.bytes)?;
        written.push(path);
    }
    Ok(())
}
