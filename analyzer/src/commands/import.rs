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
use crate::logs::readers::{self, Imported, Source};
use crate::logs::{atomic_file, standard_input};

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
    let path = match standard_input::is_meant(file) {
        true if args.output.is_none() => bail!("`-` has no folder for the log: name one with `-o`"),
        true => standard_input::path()?,
        false => file.to_owned(),
    };
    let name = file.display().to_string();
    let (reader, head) = readers::of(&path, &name)?;
    let Some(reader) = reader else {
        bail!("`{name}` is no recording that this can read: `aclsan help import` lists them");
    };
    let reading = reader.read(&Source {
        path: &path,
        name: &name,
        head: &head,
        skip_bad: args.skip_bad,
    })?;
    for line in &reading.notices {
        notice::say(line);
    }
    for log in &reading.logs {
        let path = place(file, log, reading.logs.len(), args)?;
        if path.exists() {
            bail!(
                "`{}` is there already: move it away, or name another place with `-o`",
                path.display()
            );
        }
        atomic_file::write(&path, &log.bytes)?;
        written.push(path);
    }
    Ok(())
}

/// The path of one of the `count` logs of a file.
fn place(file: &Path, log: &Imported, count: usize, args: &Args) -> anyhow::Result<PathBuf> {
    let is_file = |path: &&PathBuf| !path.is_dir() && path.extension().is_some();
    if let Some(path) = args.output.as_ref().filter(is_file) {
        if count > 1 || args.files.len() > 1 {
            bail!(
                "`{}` is one log, and there are several to write: name a folder",
                path.display()
            );
        }
        return Ok(path.clone());
    }
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    let stem = stem.to_string_lossy();
    let name = match log.pid {
        0 if count == 1 => format!("{stem}.aclsan"),
        pid => format!("{stem}-{pid}.aclsan"),
    };
    let folder = args.output.as_deref().or(file.parent());
    let folder = folder.unwrap_or(Path::new(""));
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make folder `{}`", folder.display()))?;
    }
    Ok(folder.join(name))
}
