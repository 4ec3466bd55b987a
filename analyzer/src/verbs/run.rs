//! `aclsan run [options] -- program args…`: runs a program with the shim loaded, then reports.
//!
//! ```text
//! aclsan run -- ./app --images 10              # findings as they happen, the report at the end
//! aclsan run --guard rear -o logs/ -- ./app    # guard regions behind blocks; logs into a folder
//! aclsan run --simulate -- ./app               # on a machine without an NPU
//! aclsan run --error-exitcode 1 -- ./app       # fail a CI job
//! ```
//!
//! **Streams.** The program keeps stdin, stdout, its process group and the terminal; ours goes to stderr, or to `--report FILE`.
//! **Signals** that reach this command go on to the program, and the report still comes.
//! **Exit code**: the program's own, 128+n after signal n; with `--error-exitcode N`, N when that would be 0 and a finding of level
//! error exists; 127 when there is no such program, 126 when it cannot be executed, 125 when aclsan itself fails before the start.
//! **Children** are followed: a process that calls AscendCL writes a log of its own, and the report covers all of this run's.
//! **Options** come from flags, then `ACLSAN_OPTIONS`, then `./aclsan.toml`.
//!
//! What it cannot see: programs that are linked statically, loaded by musl, set-user-id, or for another machine. It says so.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::Context;

use crate::aftermath::{self, Aftermath, LeakCheck};
use crate::child;
use crate::environment::{Environment, Loading};
use crate::log_folder;
use crate::notice;
use crate::preload;
use crate::program::{CannotStart, Program, elf::Elf};
use crate::run_logs::{self, RunLogs};
use crate::settings::{Flags, Settings};

/// Exit code when aclsan itself fails: as `env`, `timeout` and `docker run` have it.
pub const FAILURE: u8 = 125;

/// What to run, and how.
#[derive(clap::Args)]
#[command(
    override_usage = "aclsan run [OPTIONS] -- <PROGRAM> [ARGS]...",
    after_help = "Exit code: the program's own (128+n after signal n); 125 aclsan failed, 126 cannot execute, 127 not found."
)]
pub struct Args {
    /// Exit with N when the program exits with 0 and a finding of level error exists
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    error_exitcode: Option<u8>,
    /// Write the report to FILE, not to stderr; `%p` stands for the program's process number
    #[arg(long, visible_alias = "log-file", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Only record, and print findings as they happen
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
    /// Whether blocks that were never released are reported, or only counted
    #[arg(long, value_enum, default_value_t = LeakCheck::Full)]
    leak_check: LeakCheck,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    flags: Flags,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Runs the program and reports.
///
/// # Errors
/// When something of ours fails before the program starts.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (name, arguments) = args.command.split_first().context("name a program")?;
    let program = match Program::find(name) {
        Ok(program) => program,
        Err(error) => return Ok(refused(&error)),
    };
    let settings = args.flags.settings()?;
    let launch = Launch::prepare(&program, &args.loading, settings)?;
    let mut command = Command::new(&program.path);
    command.arg0(name).args(arguments);
    let ended = match launch.start(&mut command) {
        Ok(ended) => ended,
        Err(error) => return Ok(refused(&program.cannot_start(&error))),
    };
    if let Some(signal) = ended.status.signal().filter(|_| !args.flags.quiet) {
        let name = nix::sys::signal::Signal::try_from(signal);
        let name = name.map_or("no name", nix::sys::signal::Signal::as_str);
        notice::say(&format!(
            "the program was ended by signal {signal} ({name})"
        ));
    }
    let tally = launch.conclude(&Aftermath {
        report: args.report.map(|file| for_process(file, ended.pid)),
        is_silent: args.no_report,
        leaks: args.leak_check,
        is_quiet: args.flags.quiet,
    });
    let own = exit_code(ended.status);
    Ok(match args.error_exitcode {
        Some(code) if own == 0 && tally.errors > 0 => ExitCode::from(code),
        _ => ExitCode::from(own),
    })
}

fn refused(error: &CannotStart) -> ExitCode {
    notice::say(&error.to_string());
    ExitCode::from(error.exit_code())
}

/// The program's own exit code, or 128 and the signal that ended it, as shells say it.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 125,
    };
    u8::try_from(code).unwrap_or(125)
}

fn for_process(file: PathBuf, pid: u32) -> PathBuf {
    match file.to_str() {
        Some(name) if name.contains("%p") => PathBuf::from(name.replace("%p", &pid.to_string())),
        _ => file,
    }
}

/// A run that is set up: variables, a place for logs, a number.
pub struct Launch {
    environment: Option<Environment>,
    template: String,
    logs: RunLogs,
    program: String,
    is_hopeless: bool,
}

impl Launch {
    /// Finds what the run needs, and says what will not work.
    ///
    /// # Errors
    /// When the shim or the simulator is missing, or logs cannot be written.
    pub fn prepare(
        program: &Program,
        loading: &Loading,
        mut settings: Settings,
    ) -> anyhow::Result<Self> {
        let shim = preload::find(loading.preload.as_deref())?;
        let shim_elf = Elf::read(&shim)?
            .with_context(|| format!("`{}` is not a shared library", shim.display()))?;
        let name = program.path.display().to_string();
        let obstacles = program.obstacles(&shim_elf);
        for obstacle in &obstacles {
            notice::say(&format!("nothing of `{name}` will be seen: {obstacle}"));
        }
        if loading.simulate.is_some() {
            warn_of_rpath(program);
        }
        let template = log_folder::prepare(settings.get("log_path"))?;
        let logs = RunLogs::begin();
        settings.set("log_path", template.as_str());
        settings.set(run_logs::KEY, logs.id.as_str());
        let environment = Environment::new(&shim, loading.simulate, &settings, program.asan())?;
        let is_harmful = obstacles.iter().any(|obstacle| obstacle.forbids_preload());
        Ok(Self {
            environment: (!is_harmful).then_some(environment),
            template,
            logs,
            program: name,
            is_hopeless: !obstacles.is_empty(),
        })
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, command: &mut Command) -> std::io::Result<child::Ended> {
        let variables = self.environment.iter().flat_map(Environment::variables);
        for (name, value) in variables {
            command.env(name, value);
        }
        child::run(command)
    }

    /// Reports on the run's logs. The program's exit code stands whatever happens here, so failures are only told.
    pub fn conclude(&self, how: &Aftermath) -> aftermath::Tally {
        let found = self.logs.find(&self.template);
        if found.is_empty() {
            if !self.is_hopeless && !how.is_quiet {
                notice::say(&format!(
                    "no AscendCL call was seen, so there is nothing to report; `aclsan doctor -- {}` tells whether one could be",
                    self.program
                ));
            }
            return aftermath::Tally::default();
        }
        how.tell(&found).unwrap_or_else(|error| {
            notice::fail(&error);
            aftermath::Tally::default()
        })
    }
}

fn warn_of_rpath(program: &Program) {
    let Some(elf) = &program.elf else { return };
    if let (Some(rpath), None) = (&elf.rpath, &elf.runpath) {
        notice::say(&format!(
            "`{}` looks for its libraries in `{rpath}` first (DT_RPATH), before the simulator; if a libascendcl lies there, link with -Wl,--enable-new-dtags",
            program.loaded.display()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(0)), 0);
        assert_eq!(exit_code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(exit_code(ExitStatus::from_raw(11)), 139);
        assert_eq!(exit_code(ExitStatus::from_raw(0x80 | 6)), 134); // with a core file
    }
}
