//! `aclsan run [options] -- program args…`: runs a program with the shim loaded, then reports.
//!
//! ```text
//! aclsan run -- ./app --images 10              # findings as they happen, the report at the end
//! aclsan run --guard rear -o logs/ -- ./app    # redzones after blocks; logs into a folder
//! aclsan run --simulate -- ./app               # on a machine without an NPU
//! aclsan run --error-exitcode 1 -- ./app       # fail a CI job
//! aclsan run --html app.html -- ./app          # the report as a page, too
//! aclsan run --no-log -- ./app                 # leave no log behind
//! ```
//!
//! **Streams.** The program keeps stdin, stdout, its process group and the terminal; our output goes to stderr, or to `--report FILE`.
//! If stdin, stdout or stderr was closed when this command started, the program has `/dev/null` there, so that no file it opens gets that
//! number.
//!
//! **Signals** that reach this command are forwarded to the program, and the report still comes.
//!
//! **Exit code**: the program's own, 128+n after signal n; with `--error-exitcode N`, N if that would be 0 and a finding of level error exists,
//! events could not be recorded, or a log is gone, and at an error that ends the program with `--halt-on-error`; 127 if there is no such program, 126 if it cannot be executed, 125 if aclsan itself fails
//! before the start.
//!
//! **Children** are followed: a process that calls AscendCL writes its own log, and the report covers all logs of this run.
//!
//! **Options** come from flags, then `ACLSAN_OPTIONS`, then `./aclsan.toml`. An unknown option or a bad value in a flag or the file ends the
//! command with 125 and names the nearest right one; in `ACLSAN_OPTIONS` it is a warning.
//! **The log** goes where `-o` says, else into the working directory, and the last line says where it is. Only its owner can read it
//! (`--set log_mode=0640` lets others read it, too). With `--no-log` none is kept.
//!
//! Programs that are statically linked, loaded by musl, set-user-id, or built for another machine cannot be observed. It says so.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::Context;

use crate::io::notice;
use crate::policy::suppress;
use crate::run::after::{AfterRun, LeakCheck};
use crate::run::environment::Loading;
use crate::run::launch::{Launch, Plan};
use crate::run::program::{CannotStart, Program};
use crate::run::settings::Flags;

/// Exit code if aclsan itself fails, as for `env`, `timeout` and `docker run`.
pub const FAILURE: u8 = 125;

/// What to run, and how.
#[derive(clap::Args)]
#[command(
    override_usage = "aclsan run [OPTIONS] -- <PROGRAM> [ARGS]...",
    after_help = "Exit code: the program's own (128+n after signal n); 125 aclsan failed, 126 cannot execute, 127 not found."
)]
pub struct Args {
    /// Exit with N if the program exits with 0 and a finding of level error exists
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    error_exitcode: Option<u8>,
    /// Write the report to FILE instead of stderr; `%p` is the program's process number
    #[arg(long, visible_alias = "log-file", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print findings as they happen, and no report at the end
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
    /// Also write the report as a page for a browser
    #[arg(long, value_name = "FILE", value_parser = regular)]
    html: Option<PathBuf>,
    /// Also write the report as JSON
    #[arg(long, value_name = "FILE", value_parser = regular)]
    json: Option<PathBuf>,
    /// Keep no log: findings and the report only
    #[arg(long, conflicts_with = "log")]
    no_log: bool,
    /// Whether leaked blocks are reported, or only counted
    #[arg(long, value_enum, default_value_t = LeakCheck::Full)]
    leak_check: LeakCheck,
    #[command(flatten)]
    suppressing: suppress::Choice,
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
/// If something of ours fails before the program starts.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (name, arguments) = args.command.split_first().context("name a program")?;
    let program = match Program::find(name) {
        Ok(program) => program,
        Err(error) => return Ok(refused(&error)),
    };
    let mut settings = args.flags.settings()?;
    if let Some(code) = args.error_exitcode {
        settings.set("exitcode", code.to_string());
    }
    let suppressions = args.suppressing.read()?;
    let launch = Launch::prepare(
        &program,
        &args.loading,
        settings,
        Plan {
            keeps_log: !args.no_log,
            has_report: !args.no_report,
        },
    )?;
    let mut command = Command::new(&program.path);
    command.arg0(name).args(arguments);
    let ended = match launch.start(&mut command) {
        Ok(ended) => ended,
        Err(error) => return Ok(refused(&program.cannot_start(&error))),
    };
    let tally = launch.conclude(
        &AfterRun {
            report: args.report.map(|file| for_process(file, ended.pid)),
            html: args.html.map(|file| for_process(file, ended.pid)),
            json: args.json.map(|file| for_process(file, ended.pid)),
            is_silent: args.no_report,
            leaks: args.leak_check,
            suppressions,
            is_quiet: args.flags.quiet,
        },
        &ended,
    );
    let own = exit_code(ended.status);
    Ok(match args.error_exitcode {
        // A run that was not observed to its end must not look clean.
        Some(code) if own == 0 && tally.errors + tally.lost + tally.gone > 0 => {
            ExitCode::from(code)
        }
        _ => ExitCode::from(own),
    })
}

/// A file: standard output belongs to the program.
fn regular(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("standard output is the program's; name a file".to_owned()),
        name => Ok(name.into()),
    }
}

fn refused(error: &CannotStart) -> ExitCode {
    notice::say(&error.to_string());
    ExitCode::from(error.exit_code())
}

/// The program's own exit code, or 128 plus the signal that ended it, as in shells.
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
