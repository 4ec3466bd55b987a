//! Whether the process that writes a log still runs, as far as this can be seen from here: the one answer that all commands give.
//!
//! The open file is asked, so it does not matter by which name it was found, or whether it has one still. The shim locks the log and maps
//! the segments that it writes. The lock is seen across users and namespaces. Where a file system has none,
//! the log's process is the one whose `/proc/PID/maps` has the log's file. The number in the log alone would not do: numbers are used again,
//! and a container has numbers of its own.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

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

/// The files that all processes map: read once, when the first log needs it, for all logs that are asked about at that moment.
#[derive(Default)]
pub struct Survey(Option<HashMap<u64, Vec<(u32, String)>>>);

impl Survey {
    /// A process that maps the file.
    fn mapping(&mut self, file: &Named) -> Option<u32> {
        let mapped = self.0.get_or_insert_with(|| {
            let mut mapped: HashMap<u64, Vec<(u32, String)>> = HashMap::new();
            for pid in all() {
                let Ok(text) = fs::read(process(pid).join("maps")) else {
                    continue;
                };
                let text = String::from_utf8_lossy(&text);
                for (inode, path) in text.lines().filter_map(mapping) {
                    mapped
                        .entry(inode)
                        .or_default()
                        .push((pid, path.to_owned()));
                }
            }
            mapped
        });
        let mappings = mapped.get(&file.inode)?.iter();
        let mut of_name = mappings.filter(|(_, path)| file.is_at(path));
        of_name.next().map(|&(pid, _)| pid)
    }
}

/// Finds the process that writes an open log; `pid` is what the log says, or what this function found earlier.
pub fn of(log: &File, pid: u32, survey: &mut Survey) -> Writer {
    if is_locked(log) {
        return Writer::Runs(pid);
    }
    let Some(file) = Named::of(log) else {
        return Writer::Unknown;
    };
    match maps(pid, &file) {
        Some(true) => return Writer::Runs(pid),
        None if process(pid).exists() => return Writer::Unknown,
        _ => {}
    }
    // Another process namespace has other numbers.
    survey.mapping(&file).map_or(Writer::Gone, Writer::Runs)
}

/// Whether a process is known to write an open log.
pub fn still_runs(log: &File, pid: u32) -> bool {
    matches!(of(log, pid, &mut Survey::default()), Writer::Runs(_))
}

/// Whether a process holds the lock that the shim takes while it writes.
fn is_locked(log: &File) -> bool {
    let all = Flock::from(FlockType::WriteLock);
    fcntl_getlk(log, &all).is_ok_and(|held| held.is_some())
}

/// An open file, as `maps` shows it.
struct Named {
    inode: u64,
    /// Without its folders: another mount namespace has others.
    name: String,
}

impl Named {
    fn of(log: &File) -> Option<Self> {
        let inode = log.metadata().ok()?.ino();
        let path = fs::read_link(format!("/proc/self/fd/{}", log.as_raw_fd())).ok()?;
        let name = path.file_name()?.to_string_lossy();
        let name = name.strip_suffix(DELETED).unwrap_or(&name).to_owned();
        Some(Self { inode, name })
    }

    fn is_at(&self, path: &str) -> bool {
        let path = path.strip_suffix(DELETED).unwrap_or(path);
        path.ends_with(&self.name)
    }
}

/// Follows the name of a file that has none any more.
const DELETED: &str = " (deleted)";

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
/// inode has to do, together with the name.
fn maps(pid: u32, file: &Named) -> Option<bool> {
    let text = fs::read(process(pid).join("maps")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut mappings = text.lines().filter_map(mapping);
    Some(mappings.any(|(inode, path)| inode == file.inode && file.is_at(path)))
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
    fn a_file_that_nobody_maps_has_no_writer_by_whatever_name() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("aclsan-writer-{}", std::process::id()));
        fs::write(&path, "x").expect("it is written");
        let file = File::open(&path).expect("it is there");
        let own = std::process::id();
        assert_eq!(of(&file, own, &mut Survey::default()), Writer::Gone);
        assert!(!still_runs(&file, own));
        fs::remove_file(&path).expect("it is there");
        assert_eq!(of(&file, own, &mut Survey::default()), Writer::Gone);
    }

    #[test]
    fn a_file_that_is_mapped_has_a_writer_whatever_number_the_log_has() {
        let own = fs::read_link("/proc/self/exe").expect("a program");
        let file = File::open(own).expect("it is there");
        let mut survey = Survey::default();
        let own = std::process::id();
        assert_eq!(of(&file, own, &mut survey), Writer::Runs(own));
        // No process has the number 0. Another test may run the same program.
        let Writer::Runs(found) = of(&file, 0, &mut survey) else {
            panic!("nobody maps it");
        };
        assert!(still_runs(&file, found));
    }
}
