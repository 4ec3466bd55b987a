//! The logs of one run, among others in the same folder.
//!
//! The program's children write logs too, and other programs may write into the folder at the same time. So a run has a number, which
//! travels as option `run_id` and comes back as a property of each log.
//!
//! A log that the program removed is not to be found. So the run has a list too, in the folder for temporary files, in which each process
//! notes the log that it has begun.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aclsan_log::Log;

use crate::log_path::{Place, in_environment, place};

/// The option, and the property of a log.
pub const KEY: &str = "run_id";
/// The option that names the list.
pub const LIST: &str = "run_logs";

/// Files that were last written to this long before the run are not opened. Generous: the clock may be set, or another host's.
const SLACK: Duration = Duration::from_secs(120);

/// One run.
pub struct RunLogs {
    /// Its number.
    pub id: String,
    /// Where its processes note their logs; `None` where no such file can be made. It goes with the run.
    pub list: Option<String>,
    started: SystemTime,
}

/// A log that a process of the run has begun, and that is gone.
#[derive(PartialEq, Eq, Debug)]
pub struct GoneLog {
    /// The process that wrote it.
    pub pid: u32,
    /// What it was.
    pub path: PathBuf,
}

/// A log of a run.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunLog {
    started_ns: u64,
    /// The process that wrote it.
    pub pid: u32,
    /// The file.
    pub path: PathBuf,
}

impl RunLog {
    /// Whether its process has not ended yet: one that the program left behind.
    pub fn is_running(&self) -> bool {
        Path::new(&format!("/proc/{}", self.pid)).exists()
    }
}

impl RunLogs {
    /// A run that begins now.
    pub fn begin() -> Self {
        let started = SystemTime::now();
        let since = started.duration_since(SystemTime::UNIX_EPOCH);
        let ns = since.map_or(0, |since| since.as_nanos());
        let id = format!("{ns:x}-{:x}", std::process::id());
        Self {
            list: make_list(&id),
            id,
            started,
        }
    }

    /// The logs that this run has written to `template`, oldest process first. A variable counts with the value that it has for us, which
    /// may lead into another folder, and as a part of one name, for processes that were given another value.
    pub fn find(&self, template: &str) -> Vec<RunLog> {
        let (ours, any) = (place(&in_environment(template)), place(template));
        let is_same = ours == any;
        let mut found = Vec::new();
        for Place { folder, depth } in [Some(any), (!is_same).then_some(ours)]
            .into_iter()
            .flatten()
        {
            self.search(&folder, depth, &mut found);
        }
        found.sort();
        found.dedup();
        found
    }

    /// Adds to `found` what the list names in other places, and gives what it names and is in no place. Of a process one of whose logs was
    /// found by another name, as many are not gone.
    pub fn gone(&self, found: &mut Vec<RunLog>) -> Vec<GoneLog> {
        let text = self.list.as_ref().and_then(|list| fs::read(list).ok());
        let text = text.unwrap_or_default();
        let listed: Vec<_> = text.split(|&byte| byte == b'\n').filter_map(line).collect();
        let is_listed = |path: &Path| listed.iter().any(|log| log.path == path);
        let elsewhere: Vec<_> = found.iter().filter(|log| !is_listed(&log.path)).collect();
        let mut elsewhere: Vec<_> = elsewhere.iter().map(|log| log.pid).collect();
        let mut gone = Vec::new();
        for log in listed {
            if found.iter().any(|other| other.path == log.path) {
                continue;
            }
            if let Some(other) = elsewhere.iter().position(|&pid| pid == log.pid) {
                elsewhere.swap_remove(other);
            } else if let Some(log) = self.read(log.path.clone()) {
                found.push(log);
            } else {
                gone.push(log);
            }
        }
        found.sort();
        gone
    }

    fn search(&self, folder: &Path, depth: usize, found: &mut Vec<RunLog>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() && depth > 0 {
                self.search(&path, depth - 1, found);
            } else if kind.is_file() && depth == 0 && self.is_recent(&entry) {
                found.extend(self.read(path));
            }
        }
    }

    fn is_recent(&self, entry: &fs::DirEntry) -> bool {
        let written = entry.metadata().and_then(|meta| meta.modified());
        written.is_ok_and(|written| written + SLACK >= self.started)
    }

    /// The log in `path`, if it is one of this run.
    fn read(&self, path: PathBuf) -> Option<RunLog> {
        let log = Log::open(&path).ok()?;
        let is_ours = log.properties.get(KEY).is_some_and(|id| *id == self.id);
        is_ours.then_some(RunLog {
            started_ns: log.header.started.realtime_ns,
            pid: log.header.pid,
            path,
        })
    }
}

impl Drop for RunLogs {
    fn drop(&mut self) {
        if let Some(list) = &self.list {
            let _ = fs::remove_file(list);
        }
    }
}

/// An empty list, by a path that can be written in an option.
fn make_list(id: &str) -> Option<String> {
    let path = std::env::temp_dir().join(format!("aclsan-run-{id}"));
    let path = path.into_os_string().into_string().ok()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let can_be_named = path.starts_with('/') && !path.contains(['\'', '"']);
    (can_be_named && options.open(&path).is_ok()).then_some(path)
}

/// A line of the list: a process and a path.
fn line(bytes: &[u8]) -> Option<GoneLog> {
    let blank = bytes.iter().position(|&byte| byte == b' ')?;
    let pid = std::str::from_utf8(&bytes[..blank]).ok()?.parse().ok()?;
    let path = PathBuf::from(OsStr::from_bytes(&bytes[blank + 1..]));
    Some(GoneLog { pid, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_log::Definition;
    use aclsan_log::synth::Synth;

    fn log_of(run: &str, path: &Path) {
        let mut synth = Synth::default();
        synth.define(Definition::Property {
            key: KEY.to_owned(),
            value: run.to_owned(),
        });
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, synth.bytes()).unwrap();
    }

    #[test]
    fn only_logs_of_this_run_are_found_whatever_their_names() {
        let folder = std::env::temp_dir().join(format!("aclsan-run-logs-{}", std::process::id()));
        let run = RunLogs::begin();
        log_of(&run.id, &folder.join("a/one.aclsan"));
        log_of(&run.id, &folder.join("b/one.aclsan.1"));
        log_of("another", &folder.join("b/two.aclsan"));
        fs::write(folder.join("b/notes"), "no log").unwrap();
        let template = format!("{}/%h/%p.aclsan", folder.display());
        let mut found: Vec<_> = run
            .find(&template)
            .into_iter()
            .map(|log| log.path)
            .collect();
        found.sort();
        assert_eq!(
            found,
            [folder.join("a/one.aclsan"), folder.join("b/one.aclsan.1")]
        );
        assert!(run.find("/no/such/folder/%p").is_empty());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_listed_log_is_gone_that_is_neither_there_nor_found_by_another_name() {
        let folder = std::env::temp_dir().join(format!("aclsan-run-gone-{}", std::process::id()));
        let run = RunLogs::begin();
        let list = run.list.clone().expect("a list");
        let paths = ["moved", "there", "elsewhere/log", "gone", "another's"];
        let [moved, there, elsewhere, gone, another] = paths.map(|name| folder.join(name));
        let now = folder.join("moved.aclsan");
        for path in [&now, &there, &elsewhere] {
            log_of(&run.id, path);
        }
        log_of("another", &another);
        let pid = Log::open(&now).unwrap().header.pid;
        let listed = [&moved, &there, &elsewhere, &gone, &another];
        let lines = listed.map(|path| format!("{pid} {}\n", path.display()));
        fs::write(&list, lines.concat() + "no line\n").unwrap();
        let mut found = run.find(&format!("{}/%p", folder.display()));
        assert_eq!(found.len(), 2);
        let lost: Vec<_> = run
            .gone(&mut found)
            .into_iter()
            .map(|log| log.path)
            .collect();
        assert_eq!(lost, [gone, another]);
        let mut paths: Vec<_> = found.into_iter().map(|log| log.path).collect();
        paths.sort();
        assert_eq!(paths, [elsewhere, now, there]);
        drop(run);
        assert!(!Path::new(&list).exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
