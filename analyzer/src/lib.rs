#![forbid(unsafe_code)]
//! `aclsan`: runs AscendCL programs under the shim, and turns what it recorded into reports and verdicts.
//!
//! Standard output carries the report, standard error everything else. Whatever goes wrong is one sentence, written here, with the
//! exit code of [`Verb::failure`].
//!
//! A library for the sake of `tests/fuzz`, which calls [`run`] a thousand times a second; the program is [`main`].

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use verbs::Verb;

mod aftermath;
mod annotated;
mod annotation_headers;
mod assembly;
mod baseline;
mod checkout;
mod checkup;
mod child;
mod continuous;
mod environment;
mod events;
mod exceeded;
mod history;
mod input;
mod language;
mod launch;
mod log_folder;
mod log_path;
mod memscope;
mod moments;
mod nearest;
mod notice;
mod output;
mod packing;
mod part;
mod patient;
mod places;
mod plain_path;
mod preload;
mod program;
mod quantity;
mod replay;
mod run_logs;
mod runtime;
pub mod settings;
mod simulator;
mod stacks;
mod suppress;
mod symbols;
mod verbs;
mod verdict;
mod version;
mod whole_file;
mod written_text;

/// Finds memory mistakes and leaks in programs that use Ascend NPU memory.
#[derive(Parser)]
#[command(
    name = "aclsan",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes of the verbs that read logs: 0 clean, 1 findings, 2 usage or unreadable log, 3 nothing observed."
)]
struct Cli {
    /// Colours: on a terminal, always, or never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    /// Language of reports [default: the locale's; English unless it is Chinese in UTF-8]
    #[arg(long, global = true, value_enum, value_name = "LANG")]
    lang: Option<language::Language>,
    /// Tell on standard error what is read and run, and from where
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    verb: Verb,
}

/// When to write colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Color {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    Auto,
    /// Even into a file.
    Always,
    /// Nowhere.
    Never,
}

/// The program.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// The command line `arguments`, the command's own name included, from beginning to end.
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
    language::settle(cli.lang);
    if cli.verbose {
        speak_up();
    }
    let failure = cli.verb.failure();
    match cli.verb.run() {
        Ok(code) => code,
        Err(error) => {
            notice::fail(&error);
            ExitCode::from(match error.is::<input::NothingObserved>() {
                true => input::NothingObserved::CODE,
                false => failure,
            })
        }
    }
}

fn parse(arguments: &[OsString]) -> clap::error::Result<Cli> {
    let with_manual = |verb: clap::Command| {
        let manual = verbs::manual(verb.get_name());
        verb.after_long_help(manual)
    };
    let command = Cli::command().mut_subcommands(with_manual);
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

/// Sends what the command says about its own work to standard error.
fn speak_up() {
    let colors = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(std::io::stderr)
        .log_internal_errors(false) // which would be a panic where stderr takes nothing
        .with_ansi(colors)
        .with_target(false)
        .without_time()
        .init();
}

/// Help, the version, or what is wrong with the command line. `run` must not use an exit code that the program could have.
fn usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if error.kind() == clap::error::ErrorKind::DisplayVersion {
        let _ = output::write(version::text().as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ = error.print();
    let is_run = arguments.get(1).is_some_and(|verb| verb == "run");
    match error.use_stderr() {
        true if is_run => ExitCode::from(verbs::run::FAILURE),
        true => ExitCode::from(2),
        false => ExitCode::SUCCESS,
    }
}
