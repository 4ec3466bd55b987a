//! Finds the logs of one run among others in the same folder.
//!
//! The program's children write logs too, and other programs may write into the folder at the same time. So a run has an id, which is
//! passed as option `run_id` and comes back as a property of each log.
//!
//! A log that the program removed cannot be found. So the run also has a list, in the folder for temporary files if possible, in which each
//! process notes the log that it starts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aclsan_log::layout::Header;

use crate::logs::{packed, run_id, writer};
use crate::run::log_path::{Place, in_environment, place};

/// The option that names the list.
pub const LIST: &str = "run_logs";

/// Files last written more than this before the run are not opened. Generous: the clock may be adjusted, or belong to another host.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(120);

/// One run.
pub struct RunLogs {
    /// Its id.
    pub id: String,
    /// The list of its logs; `None` if no such file can be created. Removed with the run.
    pub list: Option<String>,
    started: SystemTime,
}

/// A log that a process of the run started, and that no longer exists.
#[derive(PartialEq, Eq, Debug)]
pub struct GoneLog {
    /// The process that wrote it.
    pub pid: u32,
    /// Its path.
    pub path: PathBuf,
}

/// Identity of a log, whatever its name: start time by the clock, process, start tick.
type LogIdentity = (u64, u32, u64);

/// A log of a run.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunLog {
    identity: LogIdentity,
    /// The file.
    pub path: PathBuf,
}

impl RunLog {
    /// The process that wrote it.
    pub fn pid(&self) -> u32 {
        self.identity.1
    }

    /// Whether its process still runs: one that the program left behind.
    pub fn is_running(&self) -> bool {
        let log = File::open(&self.path);
        log.is_ok_and(|log| writer::still_runs(&log, self.pid()))
    }
}

impl RunLogs {
    /// Starts a run with logs by `template`.
    pub fn begin(template: &str) -> Self {
        let started = SystemTime::now();
        let since = started.duration_since(SystemTime::UNIX_EPOCH);
        let ns = since.map_or(0, |since| since.as_nanos());
        let id = format!("{ns:x}-{:x}", std::process::id());
        let of_logs = place(&in_environment(template)).folder;
        let folders = [std::env::temp_dir(), "/tmp".into(), of_logs];
        Self {
            list: make_list(&id, &folders),
            id,
            started,
        }
    }

    /// The logs of this run by `template`, oldest process first. Variables are expanded as for us, which may lead into another folder, and
    /// also treated as wildcards, for processes that were given another value.
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
        deduplicate(&mut found);
        found
    }

    /// Adds to `found` logs that the list names elsewhere, and returns listed logs that are nowhere, not even packed. Each log accounts for
    /// one line: a reused name may belong to the log of another process, or of what the same process became.
    pub fn gone(&self, found: &mut Vec<RunLog>) -> Vec<GoneLog> {
        let text = self.list.as_ref().and_then(|list| fs::read(list).ok());
        let text = text.unwrap_or_default();
        let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').filter_map(line).collect();
        let known: BTreeSet<_> = found.iter().map(|log| log.path.clone()).collect();
        let names = lines
            .iter()
            .flat_map(|log| [log.path.clone(), packed::name(&log.path)]);
        let elsewhere: BTreeSet<_> = names.filter(|name| !known.contains(name)).collect();
        found.extend(elsewhere.into_iter().filter_map(|path| self.read(path)));
        deduplicate(found);
        let mut named: BTreeMap<_, Vec<LogIdentity>> = BTreeMap::new();
        for log in &*found {
            let name = (log.pid(), packed::unpacked(&log.path));
            named.entry(name).or_default().push(log.identity);
        }
        let mut answered = BTreeSet::new();
        lines.retain(|log| {
            let logs = named.get_mut(&(log.pid, log.path.clone()));
            let found = logs.and_then(Vec::pop);
            answered.extend(found);
            found.is_none()
        });
        // If logs of a process were renamed, as many of its lines are not gone. Copies do not count.
        let mut renamed: BTreeSet<_> = named.into_values().flatten().collect();
        renamed.retain(|which| !answered.contains(which));
        lines.retain(|log| {
            let found = renamed.iter().find(|(_, pid, _)| *pid == log.pid).copied();
            found.is_none_or(|found| !renamed.remove(&found))
        });
        lines
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
        written.is_ok_and(|written| written + CLOCK_TOLERANCE >= self.started)
    }

    /// The log at `path`, if it belongs to this run.
    fn read(&self, path: PathBuf) -> Option<RunLog> {
        let log = packed::open(&path).ok()?;
        let is_ours = log
            .properties
            .get(run_id::KEY)
            .is_some_and(|id| *id == self.id);
        let Header { pid, started, .. } = log.header;
        is_ours.then_some(RunLog {
            identity: (started.realtime_ns, pid, started.ticks),
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

/// Sorts by age and removes duplicates: a log beside its packed form is the same log.
fn deduplicate(found: &mut Vec<RunLog>) {
    found.sort();
    found.dedup();
    let packed = found
        .iter()
        .map(|log| (log.identity, packed::name(&log.path)));
    let packed: BTreeSet<_> = packed.collect();
    found.retain(|log| !packed.contains(&(log.identity, log.path.clone())));
}

/// Creates an empty list, in the first of `folders` that takes a file whose path can be written in an option.
fn make_list(id: &str, folders: &[PathBuf]) -> Option<String> {
    folders.iter().find_map(|folder| {
        let path = folder.join(format!("aclsan-run-{id}"));
        let path = path.into_os_string().into_string().ok()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let can_be_named = path.starts_with('/') && !path.contains(['\'', '"']);
        (can_be_named && options.open(&path).is_ok()).then_some(path)
    })
}

/// Parses a line of the list: a process and a path.
fn line(bytes: &[u8]) -> Option<GoneLog> {
    let blank = bytes.iter().position(|&byte| byte == b' ')?;
    let pid = std::str::from_utf8(&bytes[..blank]).ok()?.parse().ok()?;
    let path = PathBuf::from(OsStr::from_bytes(&bytes[blank + 1..]));
    Some(GoneLog { pid, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    use aclsan_log::Definition;
    use aclsan_log::builder::LogBuilder;

    /// A folder of one test, removed with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let name = format!("aclsan-run-{test}-{}", std::process::id());
            let folder = Self(std::env::temp_dir().join(name));
            fs::create_dir_all(&folder.0).unwrap();
            folder
        }

        /// A log of `run` by process `pid`, begun at `began`.
        fn log(&self, run: &str, name: &str, (pid, began): (u32, u64)) -> PathBuf {
            let mut synth = LogBuilder::default();
            synth.process(pid, began).define(Definition::Property {
                key: run_id::KEY.to_owned(),
                value: run.to_owned(),
            });
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, synth.bytes()).unwrap();
            path
        }

        /// Logs found in this folder and in those listed, and logs that are gone, for a run with this list.
        fn find(&self, run: &RunLogs, lines: &[(u32, &str)]) -> (Vec<String>, Vec<(u32, String)>) {
            let text = lines.iter();
            let text = text.map(|(pid, name)| format!("{pid} {}\n", self.0.join(name).display()));
            let list = run.list.as_ref().expect("a list");
            fs::write(list, text.collect::<String>() + "no line\n").unwrap();
            let mut found = run.find(&format!("{}/%p", self.0.display()));
            let gone = run.gone(&mut found);
            let name = |path: &Path| path.strip_prefix(&self.0).unwrap().display().to_string();
            let found = found.iter().map(|log| name(&log.path)).collect();
            let gone = gone.iter().map(|log| (log.pid, name(&log.path)));
            (found, gone.collect())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn pack(log: &Path) -> PathBuf {
        let (file, packed) = (fs::File::open(log).unwrap(), packed::name(log));
        let mut bytes = Vec::new();
        packed::pack(&file, file.metadata().unwrap().len(), &mut bytes).unwrap();
        fs::write(&packed, bytes).unwrap();
        packed
    }

    #[test]
    fn another_process_that_got_its_number_does_not_write_a_log() {
        let folder = Folder::new("number");
        let run = RunLogs::begin(&folder.0.display().to_string());
        folder.log(&run.id, "a", (std::process::id(), 1));
        let found = run.find(&format!("{}/%p", folder.0.display()));
        assert_eq!(found.len(), 1);
        assert!(!found[0].is_running());
    }

    #[test]
    fn only_logs_of_this_run_are_found_whatever_their_names() {
        let folder = Folder::new("found");
        let run = RunLogs::begin("%p");
        let one = folder.log(&run.id, "a/one.aclsan", (1, 1));
        let other = folder.log(&run.id, "b/one.aclsan.1", (1, 2));
        folder.log("another", "b/two.aclsan", (1, 3));
        fs::write(folder.0.join("b/notes"), "no log").unwrap();
        let found = run.find(&format!("{}/%h/%p.aclsan", folder.0.display()));
        let found: Vec<_> = found.into_iter().map(|log| log.path).collect();
        assert_eq!(found, [one, other]);
        assert!(run.find("/no/such/folder/%p").is_empty());
    }

    #[test]
    fn a_listed_log_is_gone_that_is_neither_there_nor_found_by_another_name() {
        let folder = Folder::new("gone");
        let run = RunLogs::begin("%p");
        folder.log(&run.id, "moved.aclsan", (1, 1));
        folder.log(&run.id, "there", (1, 2));
        folder.log(&run.id, "elsewhere/log", (1, 3));
        folder.log("another", "another's", (1, 4));
        let listed = ["moved", "there", "elsewhere/log", "gone", "another's"];
        let (found, gone) = folder.find(&run, &listed.map(|name| (1, name)));
        assert_eq!(found, ["moved.aclsan", "there", "elsewhere/log"]);
        assert_eq!(gone, [(1, "gone".to_owned()), (1, "another's".to_owned())]);
        let list = run.list.clone().expect("a list");
        drop(run);
        assert!(!Path::new(&list).exists());
    }

    #[test]
    fn a_name_that_was_taken_again_is_that_of_one_log_only() {
        let folder = Folder::new("taken");
        let run = RunLogs::begin("%p");
        folder.log(&run.id, "log", (2, 3));
        // Removed, and reused by another process; then by what that one became.
        let (found, gone) = folder.find(&run, &[(1, "log"), (2, "log"), (2, "log")]);
        assert_eq!(found, ["log"]);
        assert_eq!(gone, [(1, "log".to_owned()), (2, "log".to_owned())]);
    }

    #[test]
    fn a_copy_of_a_log_stands_for_no_other() {
        let folder = Folder::new("copy");
        let run = RunLogs::begin("%p");
        let log = folder.log(&run.id, "log", (1, 1));
        fs::copy(log, folder.0.join("same")).unwrap();
        let (_, gone) = folder.find(&run, &[(1, "log"), (1, "lost")]);
        assert_eq!(gone, [(1, "lost".to_owned())]);
    }

    #[test]
    fn a_log_that_was_packed_meanwhile_is_there_and_counts_once() {
        let folder = Folder::new("packed");
        let run = RunLogs::begin("%p");
        for (name, began, stays) in [("a", 1, false), ("b", 2, true), ("there/c", 3, false)] {
            let log = folder.log(&run.id, name, (1, began));
            pack(&log);
            if !stays {
                fs::remove_file(log).unwrap();
            }
        }
        // The first log's name is reused by what its process became.
        folder.log(&run.id, "a", (1, 4));
        let lines = [(1, "a"), (1, "b"), (1, "there/c"), (1, "a")];
        let (found, gone) = folder.find(&run, &lines);
        assert_eq!(found, ["a.zst", "b", "there/c.zst", "a"]);
        assert_eq!(gone, []);
        // A log of another run does not count.
        fs::remove_file(folder.0.join("a")).unwrap();
        let old = folder.log("another", "old", (1, 5));
        fs::rename(pack(&old), folder.0.join("a.zst")).unwrap();
        let (_, gone) = folder.find(&run, &lines);
        assert_eq!(gone, [(1, "a".to_owned()), (1, "a".to_owned())]);
    }

    #[test]
    fn the_list_is_in_the_first_folder_that_can_take_it() {
        let folder = Folder::new("lists");
        let quoted = folder.0.join("it's");
        let unreadable = folder.0.join(OsStr::from_bytes(b"\xff"));
        for folder in [&quoted, &unreadable] {
            fs::create_dir(folder).unwrap();
        }
        let unusable = ["".into(), ".".into(), "/no/such/folder".into()];
        let unusable = [&unusable[..], &[quoted, unreadable]].concat();
        assert_eq!(make_list("1", &unusable), None);
        let folders = [unusable, vec![folder.0.clone()]].concat();
        let list = folder.0.join("aclsan-run-1");
        assert_eq!(make_list("1", &folders).as_deref(), list.to_str());
        let meta = fs::metadata(&list).unwrap();
        assert_eq!((meta.len(), meta.mode() & 0o777), (0, 0o600));
        // An existing file may be anyone's.
        assert_eq!(make_list("1", &folders), None);
    }
}
