//! `aclsan import FILE…`: converts another tool's recording into event logs, for all other commands.
//!
//! It recognises a file by how it begins, and writes a log for each process in it, beside the file or where `-o` says. Commands that read
//! logs take such files themselves, too: they convert them in memory, and say in one line what the file cannot answer.
//!
//! It reads:
//!
//! * Memory snapshots of PyTorch and torch_npu, as `_dump_snapshot` and `OOM_SNAPSHOT_ENABLE` write them. Segments become blocks, and the
//!   blocks in them parts of the pool `PyTorch`; the history gives times and stacks, without one there is the last state only. Of a pickle
//!   only plain data is read; one that would execute code is refused.
//! * msMemScope's `memscope_dump_*.csv` and `memscope_dump_*.db` (and its former `leaks_dump`): the driver's calls, the runtime's own among
//!   them. Sub-blocks of pools (`PTA`, `ATB`, `MINDSPORE`) become pools within the driver's blocks; if a file has no driver rows, they become
//!   blocks of their own.
//! * A profiler's `operator_memory.csv`: operator, size and times of each allocation, without addresses.
//!
//! There are no findings about copies or streams. What is live at the end is reported with a doubt, as a warning, because no file says
//! whether the program still needs it. Files of totals (`memory_record.csv`, `npu_module_mem.csv`, `npu-smi info`) cannot become logs.
//!
//! ```text
//! aclsan report snapshot.pickle && aclsan frag --pool PyTorch snapshot.pickle
//! aclsan import memscope_dump_1746006014.csv && aclsan frag memscope_dump_1746006014-4711.aclsan
//! aclsan import -o logs/ device_0/dump/*.db && aclsan report --html report.html logs/
//! ```
//!
//! A row that makes no sense ends the import with its line, column and value; `--skip-bad` skips such rows and lists them.
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
    /// Snapshots of PyTorch, recordings of msMemScope, `operator_memory.csv`; `-` is standard input, with `-o`
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
    let name = match log.label.as_str() {
        "" => format!("{stem}.aclsan"),
        label => format!("{stem}-{label}.aclsan"),
    };
    let folder = args.output.as_deref().or(file.parent());
    let folder = folder.unwrap_or(Path::new(""));
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make folder `{}`", folder.display()))?;
    }
    Ok(folder.join(name))
}
