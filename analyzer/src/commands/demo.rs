//! `aclsan demo`: runs a program with seven memory mistakes on the simulator under the shim, and reports.
//!
//! For a first look, on any Linux machine, without an NPU or CANN. The program's commented source is installed beside it: read next to the
//! report, it shows what aclsan finds and how it says so. The command is equivalent to:
//!
//! ```text
//! aclsan run --simulate --guard rear -o FOLDER -- FOLDER/simulator/demo
//! ```
//!
//! Exit code: 0 if the demo ran, whatever was found; 2 if it could not.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::io::output;
use crate::run::after::{AfterRun, LeakCheck};
use crate::run::checkout::Checkout;
use crate::run::environment::Loading;
use crate::run::launch::Launch;
use crate::run::log_path;
use crate::run::preload;
use crate::run::program::Program;
use crate::run::settings::Settings;
use crate::run::simulator::{Simulator, Topology};

/// How to run the demo.
#[derive(clap::Args)]
pub struct Args {
    /// Keep the log here, for the other commands [default: a folder for temporary files]
    #[arg(short = 'o', long = "log", value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Simulate the libraries of CANN up to 8.3, of 8.1, of 8.5 to 9.1, or after 9.1
    #[arg(long, value_enum, default_value_t = Topology::One)]
    topology: Topology,
    /// Load this libaclsan.so
    #[arg(long, value_name = "PATH")]
    preload: Option<PathBuf>,
}

/// Runs the demo.
///
/// # Errors
/// If a part of it is missing and cannot be built.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let program = find(args.preload.as_deref())?;
    let source = program.with_extension("c");
    let folder = match args.log {
        Some(folder) => folder,
        None => std::env::temp_dir().join(format!("aclsan-demo-{}", std::process::id())),
    };
    output::write(opening(&source).as_bytes())?;

    let mut settings = Settings::default();
    settings.set("mode", "check");
    settings.set("guard", "rear");
    let template = log_path::template(&format!("{}/", folder.display()));
    settings.set("log_path", template);
    let loading = Loading {
        preload: args.preload,
        simulate: Some(args.topology),
    };
    let found = Program::find(program.as_os_str())?;
    let launch = Launch::prepare(&found, &loading, settings)?;
    let ended = launch
        .start(&mut Command::new(&program))
        .map_err(|error| found.cannot_start(&error))?;
    output::write(
        format!("\nThe program has ended: {}. The report:\n\n", ended.status).as_bytes(),
    )?;
    launch.conclude(&AfterRun {
        report: None,
        is_silent: false,
        leaks: LeakCheck::Full,
        suppressions: None,
        is_quiet: false,
    });
    output::write(closing(&folder).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The demo's program, after building whatever is missing.
fn find(shim: Option<&Path>) -> anyhow::Result<PathBuf> {
    let look = || -> anyhow::Result<PathBuf> {
        preload::find(shim)?;
        let program = Simulator::find()?.folder.join("demo");
        anyhow::ensure!(
            program.is_file(),
            "there is no `{}`; build it with `cargo build --release`",
            program.display()
        );
        Ok(program)
    };
    match (look(), Checkout::find()) {
        (Err(_), Some(checkout)) => {
            checkout.build()?;
            look().context("the build did not bring what the demo needs")
        }
        (looked, _) => looked,
    }
}

fn opening(source: &Path) -> String {
    format!(
        "This runs a small picture classifier on a simulated NPU. It prints its answers and exits with 0, and no call that it
looks at fails. It has seven memory mistakes all the same, each explained in its source:

    {}

Its answers and aclsan's findings come as they happen.

",
        source.display()
    )
}

fn closing(folder: &Path) -> String {
    let folder = folder.display();
    let lines = [
        (
            format!("aclsan report {folder}"),
            "tell it again, from the log alone",
        ),
        (
            format!("aclsan check {folder}"),
            "decide, for CI: exit code 0 or 1",
        ),
        (
            "aclsan explain double-free".to_owned(),
            "what a rule means, and what to do",
        ),
        (
            "aclsan run -- ./program".to_owned(),
            "your own program, on an NPU",
        ),
        (
            "aclsan run --simulate -- ./program".to_owned(),
            "and without one",
        ),
    ];
    let width = lines
        .iter()
        .map(|(command, _)| command.len())
        .max()
        .unwrap_or(0);
    let lines = lines.map(|(command, what)| format!("    {command:width$}   {what}\n"));
    format!("\nNext:\n{}", lines.concat())
}
