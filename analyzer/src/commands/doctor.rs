//! `aclsan doctor [-- program]`: checks whether the shim would reach a program's AscendCL calls here, and what it would miss.
//!
//! It checks the shim, the program, the libraries that the dynamic loader would load, the calls that they export, the simulator, and limits of
//! this machine. Only the loader is run. Without a program it checks the current environment. It prints problems, with what to do about each;
//! `-v` prints what else it found, too.
//!
//! With `--pid` it checks a process that runs, for `aclsan attach`: whether it may be traced, whether AscendCL is loaded, and which pointers to
//! calls the program has fetched with `dlsym`, through which calls are not seen. Pointers are looked for in the writable data of libraries and
//! in the heap of malloc; one in other memory is not found.
//!
//! Exit code: 0 if nothing is in the way, 1 if something is, 2 if it cannot tell.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::attach::examination;
use crate::io::{output, stack_display};
use crate::run::doctor::{Doctor, Subject};
use crate::run::environment::Loading;
use crate::run::program::{Program, elf::Elf};

/// What to check.
#[derive(clap::Args)]
pub struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Check this process instead of a program
    #[arg(long, value_name = "PID", conflicts_with = "command", value_parser = clap::value_parser!(i32).range(1..))]
    pid: Option<i32>,
    #[command(flatten)]
    loading: Loading,
    /// The program; its arguments are ignored
    #[arg(trailing_var_arg = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Runs the checks and prints the result.
///
/// # Errors
/// If the program is not found, or the loader cannot be asked.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let doctor = match (args.pid, args.command.first()) {
        (Some(pid), _) => examination::of(pid)?,
        (None, Some(name)) => Doctor::new(&Subject::Program(Program::find(name)?), &args.loading)?,
        (None, None) => {
            let loader = loader_of_this_command()?;
            Doctor::new(&Subject::Environment(loader), &args.loading)?
        }
    };
    match args.json {
        true => output::write_json(&doctor.to_json())?,
        false if stack_display::chosen().is_verbose => {
            output::write(doctor.to_string().as_bytes())?;
        }
        false => output::write(doctor.brief().as_bytes())?,
    }
    Ok(ExitCode::from(u8::from(!doctor.problems.is_empty())))
}

fn loader_of_this_command() -> anyhow::Result<String> {
    let elf = Elf::read(Path::new("/proc/self/exe"))?.context("this command is no ELF file")?;
    elf.interpreter
        .context("this command is linked statically; name a program: `aclsan doctor -- PROGRAM`")
}
