//! `aclsan demo`: runs a program with seven memory mistakes on the simulator under the shim, and reports.
//!
//! For a first look, on any Linux machine, without an NPU or CANN. The program's commented source is installed beside it: read next to the
//! report, it shows what aclsan finds and how it says so. The command is equivalent to:
//!
//! ```text
//! aclsan run --simulate --guard rear -o FOLDER -- FOLDER/simulator/demo
//! ```
//!
//! Its log is removed at the end; `--keep` or `-o` keeps it for the other commands.
//!
//! Exit code: 0 if the demo ran, whatever was found; 2 if it could not.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use aclsan_render::text::Detail;
use anyhow::Context;

use crate::io::{output, stack_display};
use crate::policy::suppress;
use crate::run::after::{AfterRun, LeakCheck};
use crate::run::checkout::Checkout;
use crate::run::environment::Loading;
use crate::run::launch::{Launch, Plan};
use crate::run::log_path;
use crate::run::preload;
use crate::run::program::Program;
use crate::run::settings::Settings;
use crate::run::simulator::{Simulator, Topology};

/// How to run the demo.
#[derive(clap::Args)]
pub struct Args {
    /// Keep the log here, for the other commands
    #[arg(short = 'o', long = "log", value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Keep the log in a folder for temporary files
    #[arg(long, conflicts_with = "log")]
    keep: bool,
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
    let kept = match args.log {
        None if args.keep => {
            let name = format!("aclsan-demo-{}", std::process::id());
            Some(std::env::temp_dir().join(name))
        }
        log => log,
    };
    output::write(opening(&source).as_bytes())?;

    let mut settings = Settings::default();
    settings.set("mode", "check");
    settings.set("guard", "rear");
    if let Some(folder) = &kept {
        let template = log_path::template(&format!("{}/", folder.display()));
        settings.set("log_path", template);
    }
    if stack_display::chosen().detail() > Detail::Brief {
        settings.set("verbose", "1");
    }
    let loading = Loading {
        preload: args.preload,
        simulate: Some(args.topology),
        has_toolkit: false, // the demo leaves nothing behind
    };
    let found = Program::find(program.as_os_str())?;
    let launch = Launch::prepare(
        &found,
        &loading,
        settings,
        Plan {
            keeps_log: kept.is_some(),
            has_report: true,
        },
    )?;
    let ended = launch
        .start(&mut Command::new(&program))
        .map_err(|error| found.cannot_start(&error))?;
    output::write(format!("The program has ended: {}. All findings:\n", ended.status).as_bytes())?;
    launch.conclude(
        &AfterRun {
            report: None,
            html: None,
            json: None,
            is_silent: false,
            leaks: LeakCheck::Full,
            suppressions: suppress::Choice::default().read()?,
            is_quiet: false,
        },
        &ended,
    );
    output::write(closing(kept.as_deref()).as_bytes())?;
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
        "A small picture classifier on a simulated NPU: plausible answers, no failing call, and seven memory mistakes, which
{} explains. Its answers, and findings as they happen:
",
        source.display()
    )
}

fn closing(kept: Option<&Path>) -> String {
    let log = kept.map(|folder| {
        let shows = format!("{} {}", "aclsan report -v", folder.display());
        (shows, "every detail, from the log alone")
    });
    let lines = [
        (
            "aclsan explain double-free".to_owned(),
            "what a rule means, and what to do",
        ),
        (
            "aclsan run -- ./program".to_owned(),
            "your own program; --simulate without an NPU",
        ),
    ];
    let lines: Vec<_> = log.into_iter().chain(lines).collect();
    let width = lines.iter().map(|(command, _)| command.len()).max();
    let width = width.unwrap_or(0);
    let lines = lines
        .iter()
        .map(|(command, what)| format!("    {command:width$}   {what}\n"));
    format!("\nNext:\n{}", lines.collect::<String>())
}
