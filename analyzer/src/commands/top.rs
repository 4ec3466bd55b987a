//! `aclsan top [LOG…|PID]`: shows what a running program holds, as `top` shows what it computes.
//!
//! Follows logs that grow: one process, or all ranks of a folder, whose logs may begin later. Above: live bytes, peak and rates, by device and
//! family, with the free memory that the runtime reported. Below: a row for each allocation site with its live bytes and blocks, its growth
//! a minute (`?` not sure yet, `!` very sure), allocations a second, the age of its oldest block and the size of its largest. Findings are
//! shown as they come.
//!
//! | key | does |
//! |---|---|
//! | arrows, PgUp, PgDn, Home, End | moves |
//! | Enter | the site's stack with source, its largest blocks, lifetimes, and live blocks by age |
//! | `s`, `r` | sorts by the next column; reverses |
//! | `f` | folds: by site, function, file, module, thread, epoch, family, pool, device, process |
//! | `/` | searches in names and stacks; Esc ends the search |
//! | `m`, `d` | marks a moment; shows what changed since, except by thread, epoch or pool: the hunt for a leak in a server |
//! | `e` | exports what is seen: folded stacks, a profile for pprof, the report's page |
//! | Tab | all findings |
//! | `q` | leaves; the program runs on |
//!
//! A number is the process whose log is meant; without an argument, it is every log in this folder. `aclsan top --run -- PROGRAM` starts a
//! program and follows it; what it prints goes into a file, and it is ended when you leave. `--once` prints one screen and `--json` the
//! numbers of that moment, for scripts.
//!
//! A dataset, as `aclsan export --format parquet` writes it, is shown as it was exported: growth and rates are of running programs only.
//!
//! The program is not touched: only its log is read, by the part that is new. While a program runs, nothing that it holds is called a leak.
//! Of a program that has ended, the screen says how.
//!
//! One that has ended is shown for `--keep`, an hour if nothing else is asked for, unless its log was removed or more than 1,000 have ended
//! since; a log that is named by itself stays. `--json` has the sums of those that were forgotten. Findings that `aclsan report` omits are
//! omitted; `--suppressions` names more.
//!
//! Exit codes: 0; 2 if no log can be read; 3 with `--once` and `--json` if there is none.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use crate::io::language::localized;
use crate::io::{notice, output};
use crate::logs::writer;
use crate::policy::{quantity, suppress};
use crate::report::pipeline::{Logs, NothingObserved};
use crate::top;
use crate::watch::{Settings, Watch};

/// What to watch.
#[derive(clap::Args)]
pub struct Args {
    /// Logs, folders with `*.aclsan` files, patterns, datasets, or the number of a process; with `--run`, a program and its arguments
    #[arg(value_name = "LOG|PID")]
    logs: Vec<PathBuf>,
    /// Start the program after `--` and watch it
    #[arg(long, requires = "logs")]
    run: bool,
    /// Print one screen and exit
    #[arg(long)]
    once: bool,
    /// Write the numbers of this moment as JSON and exit
    #[arg(long, conflicts_with = "once")]
    json: bool,
    /// For how long a process that has ended is shown: 90s, 30m, 1h, 7d
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1h")]
    keep: Duration,
    #[command(flatten)]
    suppressing: suppress::Choice,
}

impl Args {
    fn watch(&self, logs: Vec<PathBuf>) -> anyhow::Result<Watch> {
        let settings = Settings {
            suppressions: self.suppressing.read()?,
            keep: self.keep,
        };
        Watch::new(logs, Logs::of(Vec::new()).symbols()?, settings)
    }
}

/// Shows the screen.
///
/// # Errors
/// If an argument names nothing, or there is no terminal to show it on.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.run {
        return start(&args);
    }
    let logs = named(&args.logs)?;
    let mut watch = args.watch(logs)?;
    if args.once || args.json {
        watch.catch_up();
        let state = watch.state();
        match args.json {
            true => output::write_json(&state.json())?,
            false => output::write(top::once(&state, columns(), u16::MAX).as_bytes())?,
        }
        return Ok(match state.processes.is_empty() {
            true => ExitCode::from(NothingObserved::CODE),
            false => ExitCode::SUCCESS,
        });
    }
    top::show(watch)?;
    Ok(ExitCode::SUCCESS)
}

fn columns() -> u16 {
    terminal_size::terminal_size().map_or(100, |(width, _)| width.0)
}

/// The logs that the arguments name; those of a process for a number that is no file.
fn named(arguments: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if arguments.is_empty() {
        return Ok(vec![PathBuf::from(".")]);
    }
    let mut logs = Vec::new();
    for argument in arguments {
        let pid = argument.to_str().and_then(|text| text.parse::<u32>().ok());
        match pid.filter(|_| !argument.exists()) {
            None => logs.push(argument.clone()),
            Some(pid) => logs.extend(of_process(pid)?),
        }
    }
    Ok(logs)
}

/// The logs that a process writes.
///
/// # Errors
/// If there is no such process, it writes none, or its memory cannot be looked at.
pub(super) fn of_process(pid: u32) -> anyhow::Result<Vec<PathBuf>> {
    if !Path::new(&format!("/proc/{pid}")).exists() {
        bail!("no process has the number {pid}");
    }
    let why = format!("the memory of process {pid} cannot be looked at; name its log");
    let logs = writer::logs_of(pid).context(why)?;
    if logs.is_empty() {
        bail!(
            "process {pid} writes no log: it was started without aclsan, or has not called AscendCL yet"
        );
    }
    Ok(logs)
}

/// Starts a program under `aclsan run`, in a folder for its logs, and watches that.
fn start(args: &Args) -> anyhow::Result<ExitCode> {
    let own = std::env::current_exe().context("the command does not know where it is")?;
    let folder = PathBuf::from(format!("aclsan-top-{}", std::process::id()));
    std::fs::create_dir(&folder)
        .with_context(|| format!("cannot create `{}`", folder.display()))?;
    let printed = folder.join("output.txt");
    let file = File::create(&printed)?;
    let mut program = Command::new(own)
        .args(["run", "--no-report", "-o"])
        .arg(folder.join("%p.aclsan"))
        .arg("--")
        .args(&args.logs)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()
        .context("the program cannot be started")?;
    let mut watch = args.watch(vec![folder.clone()])?;
    let shown = match args.once || args.json {
        true => {
            program.wait()?;
            watch.catch_up();
            let state = watch.state();
            match args.json {
                true => output::write_json(&state.json())?,
                false => output::write(top::once(&state, columns(), u16::MAX).as_bytes())?,
            }
            Ok(state)
        }
        false => top::show(watch),
    };
    if program.try_wait()?.is_none() {
        // `aclsan run` forwards it to the program.
        let pid = nix::unistd::Pid::from_raw(program.id().cast_signed());
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
    }
    let status = program.wait()?;
    shown?;
    let (folder, printed) = (folder.display(), printed.display());
    notice::say(&localized(&format!(
        "the logs are in `{folder}`, what the program printed is in `{printed}`"
    )));
    Ok(ExitCode::from(super::run::exit_code(status)))
}
