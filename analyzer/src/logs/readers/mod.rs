//! Readers of other tools' recordings: each makes event logs of one kind of files, which it recognises by how they begin.

mod curves;
pub mod kept;
mod memscope;
mod operator_memory;
mod pickle;
mod recording;
mod rows;
pub mod torch_snapshot;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A kind of recordings.
pub trait Reader: Sync {
    /// Whether a file that begins with `head` is one.
    fn recognises(&self, head: &[u8]) -> bool;

    /// What a log of it cannot tell, in a sentence.
    fn limits(&self) -> &'static str;

    /// Converts a file.
    ///
    /// # Errors
    /// If it cannot be read, or makes no sense.
    fn read(&self, source: &Source) -> anyhow::Result<Reading>;
}

/// All readers. A file is for the first that recognises it.
const READERS: [&dyn Reader; 4] = [
    &memscope::MemScope,
    &torch_snapshot::TorchSnapshot,
    &operator_memory::OperatorMemory,
    &curves::Curves,
];

/// A file to convert.
pub struct Source<'a> {
    pub path: &'a Path,
    /// Its name in messages.
    pub name: &'a str,
    /// How it begins.
    pub head: &'a [u8],
    /// Whether rows that make no sense are left out, and listed.
    pub skip_bad: bool,
}

/// The contents of a file.
pub struct Reading {
    /// One for each process; none if nothing in it could be in a log.
    pub logs: Vec<Imported>,
    /// What the user should know of this file, a sentence each.
    pub notices: Vec<String>,
}

/// An imported log.
pub struct Imported {
    /// Ends its file's name: the process, or what else tells it from the other logs; empty if it is the only one.
    pub label: String,
    /// The log's bytes.
    pub bytes: Vec<u8>,
    /// Number of events.
    pub events: u64,
    /// Releases without an allocation in the file.
    pub unmatched_releases: u64,
}

/// Bytes that a file is recognised by.
const HEAD_BYTES: u64 = 4096;

/// The reader of a file, and how the file begins; `None` if it is no other tool's recording.
///
/// # Errors
/// If it cannot be read, or is no regular file.
pub fn of(path: &Path, name: &str) -> anyhow::Result<(Option<&'static dyn Reader>, Vec<u8>)> {
    let failure = || format!("cannot read `{name}`");
    let meta = fs::metadata(path).with_context(failure)?;
    // Opening a pipe blocks forever, and readers open the file again.
    if !meta.is_file() {
        bail!("cannot read `{name}`: it is not a regular file");
    }
    let mut head = Vec::new();
    let file = File::open(path).with_context(failure)?;
    let read = file.take(HEAD_BYTES).read_to_end(&mut head);
    read.with_context(failure)?;
    let reader = READERS.into_iter().find(|reader| reader.recognises(&head));
    Ok((reader, head))
}

/// The files for that reader, and the others.
pub fn partition(files: &[PathBuf], reader: &dyn Reader) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_one = |path: &PathBuf| {
        let mut head = Vec::new();
        let is_file = fs::metadata(path).is_ok_and(|meta| meta.is_file());
        let file = is_file.then(|| File::open(path).ok()).flatten();
        let read = file.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head).ok());
        read.is_some() && reader.recognises(&head)
    };
    files.iter().cloned().partition(is_one)
}

/// The first line of a file, without a byte order mark.
fn first_line(head: &[u8]) -> &str {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    let text = str::from_utf8(line).unwrap_or("");
    text.trim_start_matches('\u{feff}').trim_end()
}
