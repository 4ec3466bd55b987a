//! The logs of one run, among others in the same folder.
//!
//! The program's children write logs too, and other programs may write into the folder at the same time. So a run has a number, which
//! travels as option `run_id` and comes back as a property of each log.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aclsan_log::Log;

use crate::log_path::{Place, in_environment, place};

/// The option, and the property of a log.
pub const KEY: &str = "run_id";

/// Files that were last written to this long before the run are not opened. Generous: the clock may be set, or another host's.
const SLACK: Duration = Duration::from_secs(120);

/// One run.
pub struct RunLogs {
    /// Its number.
    pub id: String,
    started: SystemTime,
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
        Self {
            id: format!("{ns:x}-{:x}", std::process::id()),
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
}
