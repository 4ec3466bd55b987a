//! Whether the process that writes a log still runs, as far as this can be seen from here: the one answer that all commands give.
//!
//! The shim locks the log and maps the segments that it writes. The lock is seen across users and namespaces. Where a file system has none,
//! the log's process is the one whose `/proc/PID/maps` has the log's file. The number in the log alone would not do: numbers are used again,
//! and a container has numbers of its own.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Flock, FlockType, fcntl_getlk};

use crate::logs::packed;

/// The process behind a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writer {
    /// It runs, under this number.
    Runs(u32),
    /// It is gone.
    Gone,
    /// Its memory cannot be looked at from here.
    Unknown,
}

/// Finds the process that writes a log; `pid` is what the log says, or what this function found earlier.
pub fn of(log: &Path, pid: u32) -> Writer {
    let Ok(meta) = fs::metadata(log) else {
        return Writer::Unknown;
    };
    // A pipe has no lock, and opening it would block.
    if meta.is_file() && is_locked(log) {
        return Writer::Runs(pid);
    }
    let file = (meta.ino(), fs::canonicalize(log).unwrap_or(log.to_owned()));
    match maps(pid, &file) {
        Some(true) => return Writer::Runs(pid),
        None if process(pid).exists() => return Writer::Unknown,
        _ => {}
    }
    // Another process namespace has other numbers.
    let found = all().find(|&other| maps(other, &file) == Some(true));
    found.map_or(Writer::Gone, Writer::Runs)
}

/// Whether a process is known to write the log.
pub fn still_runs(log: &Path, pid: u32) -> bool {
    matches!(of(log, pid), Writer::Runs(_))
}

/// Whether a process holds the lock that the shim takes while it writes.
fn is_locked(log: &Path) -> bool {
    let all = Flock::from(FlockType::WriteLock);
    let held = File::open(log).map(|file| fcntl_getlk(file, &all));
    held.is_ok_and(|held| held.is_ok_and(|held| held.is_some()))
}

/// The logs that a process writes.
///
/// # Errors
/// If its memory cannot be looked at.
pub fn logs_of(pid: u32) -> std::io::Result<Vec<PathBuf>> {
    let text = fs::read(process(pid).join("maps"))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut logs: Vec<PathBuf> = Vec::new();
    for path in text.lines().filter_map(|line| Some(mapping(line)?.1)) {
        // Seen through its root: it may have another mount namespace.
        let inside = process(pid).join("root").join(path.trim_start_matches('/'));
        let path = [PathBuf::from(path), inside]
            .into_iter()
            .find(|path| packed::is_log(path));
        logs.extend(path.filter(|path| !logs.contains(path)));
    }
    Ok(logs)
}

fn process(pid: u32) -> PathBuf {
    format!("/proc/{pid}").into()
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether a process maps a file; `None` if that cannot be read. File systems made of layers show other device numbers in `maps`, so the
/// inode has to do, together with the name where it is visible.
fn maps(pid: u32, (inode, path): &(u64, PathBuf)) -> Option<bool> {
    let text = fs::read(process(pid).join("maps")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let name = path.file_name()?.to_string_lossy();
    Some(text.lines().filter_map(mapping).any(|(other, path)| {
        let path = path.strip_suffix(" (deleted)").unwrap_or(path);
        other == *inode && path.ends_with(&*name)
    }))
}

/// Inode and path of a line of `maps`.
fn mapping(line: &str) -> Option<(u64, &str)> {
    let mut rest = line;
    let mut inode = 0;
    for field in 0..5 {
        let (word, after) = rest.split_once(' ')?;
        if field == 4 {
            inode = word.parse().ok()?;
        }
        rest = after.trim_start_matches(' ');
    }
    rest.starts_with('/').then_some((inode, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_inode_and_a_path_which_may_have_spaces() {
        let line = "7f00-7f10 rw-s 00010000 fe:01 4711     /out/my logs/app.7.aclsan";
        assert_eq!(mapping(line), Some((4711, "/out/my logs/app.7.aclsan")));
        assert_eq!(mapping("7f00-7f10 rw-p 00000000 00:00 0"), None);
        assert_eq!(mapping("7f00-7f10 rw-p 00000000 00:00 0      [heap]"), None);
    }

    #[test]
    fn a_file_that_nobody_maps_has_no_writer() {
        let file = std::env::temp_dir().join(format!("aclsan-writer-{}", std::process::id()));
        fs::write(&file, "x").expect("it is written");
        assert_eq!(of(&file, std::process::id()), Writer::Gone);
        assert!(!still_runs(&file, std::process::id()));
        fs::remove_file(&file).expect("it is there");
    }
}
