//! The command line: global flags and the command.

use std::ffi::OsString;

pub use aclsan_render::text::Locale;
use aclsan_render::text::chinese;
use clap::{CommandFactory, FromArgMatches, Parser};

use super::Command;
use super::help;
use super::manual;
use crate::io::language::{self, Language};
use crate::io::markdown::terminal::lay_out;
use crate::io::stack_display::StackDisplay;

/// Finds memory mistakes and leaks in programs that use Ascend NPU memory.
#[derive(Parser)]
#[command(
    name = "aclsan",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes of the commands that read logs: 0 clean, 1 findings, 2 usage or unreadable log, 3 nothing observed."
)]
pub struct Cli {
    /// Colors: on a terminal, always, or never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Language of reports [default: the locale's; English unless it is Chinese in UTF-8]
    #[arg(long, global = true, value_enum, value_name = "LANG")]
    pub lang: Option<Language>,
    /// Show findings at length, and print to standard error what is read and run, and from where
    #[arg(short, long, global = true)]
    pub verbose: bool,
    #[command(flatten)]
    pub stacks: StackDisplay,
    #[command(subcommand)]
    pub command: Command,
}

/// When to write colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    Auto,
    /// Always, even into a file.
    Always,
    /// Never.
    Never,
}

/// Parses a command line, the program's own name included.
///
/// # Errors
/// If it makes no sense, or asks for help or the version.
pub fn parse(arguments: &[OsString]) -> clap::error::Result<Cli> {
    parse_in(language::of_arguments(arguments), arguments)
}

/// Parses a command line; manuals are in the language.
///
/// # Errors
/// As for [`parse`].
pub fn parse_in(locale: Locale, arguments: &[OsString]) -> clap::error::Result<Cli> {
    let with_manual = |command: clap::Command| {
        let chinese = match locale {
            Locale::English => None,
            Locale::Chinese => chinese::manual(command.get_name()).map(str::to_owned),
        };
        let manual = chinese.unwrap_or_else(|| manual(command.get_name()));
        command.after_long_help(lay_out(&manual, help::width(), 0))
    };
    let mut command = Cli::command().mut_subcommands(with_manual);
    if locale == Locale::Chinese {
        // Lines are looked up as wholes, and folded afterwards.
        command = command.term_width(0);
    }
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::error::ErrorKind;

    use super::*;

    /// README.md and the pages of the book. The Chinese ones have the same commands (`tests/scenarios/book`).
    fn pages() -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let book = std::fs::read_dir(root.join("docs/en")).expect("the book");
        let book = book.map(|page| page.expect("an entry").path());
        std::iter::once(root.join("README.md"))
            .chain(book)
            .map(|page| std::fs::read_to_string(page).expect("a page"))
            .collect()
    }

    /// A page's command lines: in `sh` blocks, also within others, and between backticks in the text.
    fn commands(page: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut language = None;
        for line in page.lines() {
            if let Some(mark) = line.strip_prefix("```") {
                let word = mark.split(' ').next();
                language = if language.is_none() { word } else { None };
                continue;
            }
            let without_comment = line.split(" #").next().unwrap_or_default();
            let without_blanks = without_blanks_in_quotes(without_comment);
            let pieces: Vec<&str> = match language {
                None => line.split('`').skip(1).step_by(2).collect(),
                Some("sh") => without_blanks
                    .split([';', '(', ')', '|', '&', '>'])
                    .collect(),
                Some(_) => Vec::new(),
            };
            // A variable may be set before it.
            let commands = pieces.iter().filter_map(|piece| {
                let at = piece.find("aclsan ")?;
                let before = &piece[..at];
                (before.trim().is_empty() || before.contains('=')).then(|| piece[at..].to_owned())
            });
            found.extend(commands);
        }
        found
    }

    fn without_blanks_in_quotes(line: &str) -> String {
        let mut is_inside = false;
        let letters = line.chars().map(|letter| {
            is_inside ^= letter == '\'';
            match letter {
                ' ' if is_inside => '_',
                letter => letter,
            }
        });
        letters.collect()
    }

    #[test]
    fn commands_of_readme_and_the_book_parse() {
        let commands: Vec<String> = pages().iter().flat_map(|page| commands(page)).collect();
        assert!(commands.len() > 60, "{commands:?}");
        for command in commands {
            // `--sysroot` and `--debug-dir` want folders that exist; VERB is a placeholder.
            let command = command.replace("/mnt/board", ".").replace("symbols/", ".");
            let command = command.replace("VERB", "leaks");
            let command = command.trim_matches('"');
            let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
            let error = parse(&words).err().filter(clap::Error::use_stderr);
            // The text names a command and an option without the log.
            let wrong = error.filter(|error| error.kind() != ErrorKind::MissingRequiredArgument);
            assert!(wrong.is_none(), "{command}\n{}", wrong.unwrap());
        }
    }
}
