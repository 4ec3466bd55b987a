//! Where a process's files are.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::tables;

/// Extension of the files.
const EXTENSION: &str = "parquet";
/// The partition of a value that is not known.
const UNKNOWN: &str = "unknown";

/// A process in a dataset: the path of its files, without the table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Folders and name.
    inner: PathBuf,
}

impl Place {
    /// Of a process with this run, machine and number, and this key.
    pub fn new(run: &str, host: &str, pid: u32, process: &str) -> Self {
        let folder = format!("run={}/host={}/pid={pid}", escaped(run), escaped(host));
        Self {
            inner: Path::new(&folder).join(format!("{process}.{EXTENSION}")),
        }
    }

    /// Its file in a table.
    pub fn file(&self, dataset: &Path, table: &str) -> PathBuf {
        dataset.join(table).join(&self.inner)
    }

    /// The same without the dataset's folder, for messages and reports.
    pub fn name(&self) -> String {
        self.inner.display().to_string()
    }
}

/// A partition's value as the name of a folder.
fn escaped(value: &str) -> String {
    if value.is_empty() {
        return UNKNOWN.to_owned();
    }
    // `.` and `..` are folders; with a letter before them they are not.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let has_letter = value.bytes().any(|byte| byte != b'.');
    let escape = |byte: u8| match is_plain(byte) && has_letter {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    value.bytes().map(escape).collect()
}

/// 16 hex digits that distinguish a process. FNV-1a (64 bits) of the texts, each followed by a zero byte: it must never change, because
/// exporting a log twice gives the same files.
pub fn key(parts: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// Whether a folder is a dataset: it has a folder `processes` with partitions or files.
pub fn is_dataset(folder: &Path) -> bool {
    folder.join(tables::PROCESSES).is_dir()
}

/// The processes of a dataset, in order of their paths. Files of other tables whose process is missing are counted by table: an export was
/// interrupted, or goes on.
///
/// # Errors
/// If a folder cannot be read.
pub fn processes(dataset: &Path) -> io::Result<(Vec<Place>, Vec<PathBuf>)> {
    let (mut found, mut foreign) = (BTreeMap::new(), Vec::new());
    let root = dataset.join(tables::PROCESSES);
    walk(&root, 0, &mut |file| {
        let inner = file.strip_prefix(&root).unwrap_or(file);
        match file.extension().is_some_and(|e| e == EXTENSION) {
            true => drop(found.insert(inner.to_owned(), ())),
            false => foreign.push(file.to_owned()),
        }
    })?;
    let found = found.into_keys().map(|inner| Place { inner });
    Ok((found.collect(), foreign))
}

/// Folders below each other; a partition is three deep.
const DEEPEST: usize = 8;

fn walk(folder: &Path, depth: usize, each: &mut dyn FnMut(&Path)) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        // Engines ignore them, too: files under construction, `_SUCCESS`.
        if name.starts_with(b".") || name.starts_with(b"_") {
            continue;
        }
        match path.is_dir() {
            true if depth < DEEPEST => walk(&path, depth + 1, each)?,
            true => {}
            false => each(&path),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_names_of_folders_whatever_their_value() {
        for (value, name) in [
            ("job-7", "job-7"),
            ("", "unknown"),
            ("..", "%2E%2E"),
            ("a/b=c d", "a%2Fb%3Dc%20d"),
            ("机", "%E6%9C%BA"),
        ] {
            assert_eq!(escaped(value), name);
        }
    }

    #[test]
    fn keys_are_what_they_were() {
        assert_eq!(key(&["a", "b"]), "ab40d7820d408076");
        assert_ne!(key(&["ab", ""]), key(&["a", "b"]));
    }
}
