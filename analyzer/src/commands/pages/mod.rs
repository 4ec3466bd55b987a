//! `aclsan pages KIND FOLDER`: writes manual pages, for packages, or pages of the book, for `docs/build`.
//!
//! Both are made from what the command itself prints: its options, the commands' manuals, the rules' pages.

mod book;
mod man;
mod roff;
mod titles;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

/// What to write, and where.
#[derive(clap::Args)]
pub struct Args {
    /// What to write
    #[arg(value_enum)]
    kind: Kind,
    /// Where to; it is made if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// `man1`, `man5`, `man7`, and the same in Chinese below `zh_CN`
    Man,
    /// `en` and `zh`, with `rules` and `commands` in each
    Book,
}

/// Writes the pages.
///
/// # Errors
/// If a file cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let pages = match args.kind {
        Kind::Man => man::pages(),
        Kind::Book => book::pages(),
    };
    for (name, text) in pages {
        write(&args.folder.join(name), &text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
