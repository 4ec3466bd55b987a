//! A log on standard input: `-`. What comes from a pipe is kept in memory.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, anyhow, bail};

use crate::logs::in_memory;

/// The path of the file.
static FILE: OnceLock<Result<PathBuf, String>> = OnceLock::new();

/// Its name in arguments and reports.
pub const NAME: &str = "-";

/// Whether an argument means standard input. A file named `-` is `./-`.
pub fn is_meant(argument: &Path) -> bool {
    [NAME, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .iter()
        .any(|name| argument.as_os_str() == *name)
}

/// The path of a file with what standard input has.
///
/// # Errors
/// If it cannot be read, or is a terminal.
pub fn path() -> anyhow::Result<PathBuf> {
    let file = FILE.get_or_init(|| keep().map_err(|error| format!("{error:#}")));
    file.clone().map_err(|why| anyhow!("{why}"))
}

fn keep() -> anyhow::Result<PathBuf> {
    let mut input = io::stdin();
    if input.is_terminal() {
        bail!("`-` is a log on standard input, and that is a terminal; write `<` and a log's name");
    }
    let given = rustix::io::dup(&input).map(File::from);
    let given = given.context("standard input cannot be read")?;
    if given.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(in_memory::keep(given, Path::new(NAME)));
    }
    let memory = in_memory::file();
    let mut memory = memory.context("standard input cannot be kept in a temporary file")?;
    io::copy(&mut input, &mut memory).context("standard input cannot be read")?;
    Ok(in_memory::keep(memory, Path::new(NAME)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input_and_a_path_with_one_is_not() {
        assert!(is_meant(Path::new("-")) && is_meant(Path::new("/dev/stdin")));
        assert!(!is_meant(Path::new("./-")) && !is_meant(Path::new("-v.aclsan")));
    }
}
