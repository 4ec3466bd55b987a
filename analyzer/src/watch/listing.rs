//! Which log files there are. A search finds new names, other files under names that are known, and names that are gone.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::logs::select::{NothingObserved, files_of};
use crate::report::dataset::read;

/// Least time between two searches, and how much longer than one takes.
const SEARCH: Duration = Duration::from_millis(500);
const PAUSE_FACTOR: u32 = 20;

/// A file, and how far it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
}

impl Stamp {
    /// Of the file that has this name; `None` if there is none.
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|meta| Self::from(&meta))
    }

    /// Whether it is the same file, however long.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl From<&Metadata> for Stamp {
    fn from(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            length: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
        }
    }
}

/// The files that arguments name.
pub struct Listing {
    arguments: Vec<PathBuf>,
    files: HashMap<PathBuf, Option<Stamp>>,
    next: Option<Instant>,
}

impl Listing {
    /// Nothing was searched yet.
    pub fn new(arguments: Vec<PathBuf>) -> Self {
        Self {
            arguments,
            files: HashMap::new(),
            next: None,
        }
    }

    /// The datasets among the arguments.
    pub fn datasets(&self) -> impl Iterator<Item = &PathBuf> {
        let arguments = self.arguments.iter();
        arguments.filter(|argument| read::is_meant(argument))
    }

    /// Whether all arguments are files.
    pub fn are_files(&self) -> bool {
        self.arguments.iter().all(|path| path.is_file())
    }

    /// Whether an argument is just this file.
    pub fn is_argument(&self, path: &Path) -> bool {
        self.arguments.iter().any(|argument| argument == path)
    }

    /// The file of this name, as the last search found it.
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.files.get(path).copied().flatten()
    }

    /// Whether it is time to search.
    pub fn is_due(&self) -> bool {
        self.next.is_none_or(|next| next <= Instant::now())
    }

    /// Makes it time to search.
    pub fn expire(&mut self) {
        self.next = None;
    }

    /// Searches. Returns the files that the last search had not found, by name.
    ///
    /// # Errors
    /// If a folder cannot be read or a pattern names nothing. Then the last search is the newest.
    pub fn search(&mut self) -> anyhow::Result<Vec<PathBuf>> {
        let began = Instant::now();
        let found = self.list();
        let now = Instant::now();
        self.next = Some(now + SEARCH.max((now - began) * PAUSE_FACTOR));
        let found = found?;
        let is_new = |(path, stamp): &(&PathBuf, &Option<Stamp>)| {
            let Some(before) = self.files.get(*path) else {
                return true;
            };
            let both = stamp.as_ref().zip(before.as_ref());
            stamp.is_some() && !both.is_some_and(|(now, before)| now.is_same_file(before))
        };
        let new = found.iter().filter(is_new);
        let new = new.map(|(path, _)| path.clone()).collect();
        self.files = found;
        Ok(new)
    }

    fn list(&self) -> anyhow::Result<HashMap<PathBuf, Option<Stamp>>> {
        let mut found = HashMap::new();
        for argument in &self.arguments {
            if read::is_meant(argument) {
                continue;
            }
            match files_of(argument) {
                Err(error) if error.is::<NothingObserved>() => {}
                files => found.extend(files?.into_iter().map(|file| {
                    let stamp = Stamp::of(&file);
                    (file, stamp)
                })),
            }
        }
        Ok(found)
    }
}
