#![forbid(unsafe_code)]
//! `aclsan`: runs AscendCL programs under the shim, and turns event logs into reports and verdicts.
//!
//! Rooms, each of which imports only those below it:
//!
//! | room | does |
//! |---|---|
//! | `commands` | parses the command line; one module per verb |
//! | `serve` | what is watched, over HTTP |
//! | `top` | the terminal screen of `aclsan top` |
//! | `watch` | follows logs that grow; the state of their programs |
//! | `run` | starts a program under the shim, and checks the environment for that |
//! | `account` | who holds device memory at a moment |
//! | `plan` | what a recorded run would have needed under other settings |
//! | `report` | assembles a report from replayed logs |
//! | `policy` | suppressions, baselines and budgets |
//! | `logs` | finds, opens, packs and imports logs |
//! | `symbols` | functions, files and lines of addresses |
//! | `replay` | replays a log's events through the rules |
//! | `io` | standard streams, text files, parallel work, the language of messages |
//!
//! Standard output carries the report, standard error everything else. Every failure is one sentence, written here, with the exit code of
//! [`commands::Command::failure`].
//!
//! This is a library so that `tests/fuzz` can call [`run`] a thousand times a second; the program is [`main`].

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

mod account;
mod attach;
mod commands;
mod io;
mod logs;
mod plan;
mod policy;
mod replay;
mod report;
mod run;
mod serve;
mod symbols;
mod top;
mod watch;

pub use replay::LogLinearHistogram; // for its benchmark
pub use run::settings;

use commands::cli::{Color, Locale, parse};
use commands::help;
use io::stack_display::{self, StackDisplay};
use io::{language, notice, output};
use report::nothing::NothingToExport;
use report::pipeline::NothingObserved;
use run::version;

/// Runs the program's own command line.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// Runs the command line `arguments`, which begins with the command's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &arguments),
    };
    let choice = match cli.color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    language::init(cli.lang);
    stack_display::init(StackDisplay {
        is_verbose: cli.verbose,
        ..cli.stacks
    });
    if cli.verbose {
        init_tracing();
    }
    let failure = cli.command.failure();
    match cli.command.run() {
        Ok(code) => code,
        Err(error) => {
            notice::fail(&error);
            ExitCode::from(match () {
                () if error.is::<NothingObserved>() => NothingObserved::CODE,
                () if error.is::<NothingToExport>() => NothingToExport::CODE,
                () => failure,
            })
        }
    }
}

/// Writes debug messages about the command's own work to standard error.
fn init_tracing() {
    let colors = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(std::io::stderr)
        .log_internal_errors(false) // would panic if standard error cannot be written
        .with_ansi(colors)
        .with_target(false)
        .without_time()
        .init();
}

/// Prints help or what is wrong with the command line, where clap would.
fn print(error: &clap::Error, locale: Locale) {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let is_help = matches!(
        error.kind(),
        DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand
    );
    if locale == Locale::English {
        let _ = error.print();
        return;
    }
    let text = match is_help {
        true => help::in_chinese(&error.render().ansi().to_string(), help::width()),
        false => help::error_in_chinese(&error.render().to_string()),
    };
    // An unreadable stream is no reason to fail, as for clap.
    let _ = match error.use_stderr() {
        true => write!(anstream::stderr(), "{text}"),
        false => write!(anstream::stdout(), "{text}"),
    };
}

/// Prints help, the version, or what is wrong with the command line. `aclsan run` must not exit with a code that the program could have.
fn usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if error.kind() == clap::error::ErrorKind::DisplayVersion {
        let _ = output::write(version::text().as_bytes());
        return ExitCode::SUCCESS;
    }
    print(error, language::of_arguments(arguments));
    let is_run = arguments.get(1).is_some_and(|command| command == "run");
    match error.use_stderr() {
        true if is_run => ExitCode::from(commands::run::FAILURE),
        true => ExitCode::from(2),
        false => ExitCode::SUCCESS,
    }
}
