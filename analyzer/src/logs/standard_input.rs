//! A log on standard input: `-`. Logs are mapped and read more than once, so what comes from a pipe is kept in memory under a name in `/proc`.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, anyhow, bail};
use rustix::fs::{MemfdFlags, memfd_create};

/// The file, which stays open, and its path.
static FILE: OnceLock<Result<(File, PathBuf), String>> = OnceLock::new();

/// Whether an argument means standard input. A file named `-` is `./-`.
pub fn is_meant(argument: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .iter()
        .any(|name| argument.as_os_str() == *name)
}

/// The path of a file with what standard input has.
///
/// # Errors
/// If it cannot be read, or is a terminal.
pub fn path() -> anyhow::Result<PathBuf> {
    let file = FILE.get_or_init(|| keep().map_err(|error| format!("{error:#}")));
    match file {
        Ok((_, path)) => Ok(path.clone()),
        Err(why) => Err(anyhow!("{why}")),
    }
}

/// A path as the user wrote it.
pub fn shown(path: &Path) -> PathBuf {
    match FILE.get() {
        Some(Ok((_, file))) if file == path => "-".into(),
        _ => path.to_owned(),
    }
}

fn keep() -> anyhow::Result<(File, PathBuf)> {
    let mut input = io::stdin();
    if input.is_terminal() {
        bail!("`-` is a log on standard input, and that is a terminal; write `<` and a log's name");
    }
    let given = rustix::io::dup(&input).map(File::from);
    let given = given.context("standard input cannot be read")?;
    if given.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(named(given));
    }
    let memory = memfd_create("aclsan-log", MemfdFlags::CLOEXEC);
    let memory = memory.context("standard input cannot be kept in a temporary file")?;
    let mut memory = File::from(memory);
    io::copy(&mut input, &mut memory).context("standard input cannot be read")?;
    Ok(named(memory))
}

fn named(file: File) -> (File, PathBuf) {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    (file, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input_and_a_path_with_one_is_not() {
        assert!(is_meant(Path::new("-")) && is_meant(Path::new("/dev/stdin")));
        assert!(!is_meant(Path::new("./-")) && !is_meant(Path::new("-v.aclsan")));
        assert_eq!(shown(Path::new("a.aclsan")), Path::new("a.aclsan"));
    }
}
