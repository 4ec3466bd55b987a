//! Source lines around a frame, from files on this machine that are as old as the program.
//!
//! A file counts as the one that was compiled if it is not newer than the binary with the recorded build-id; for Python, not newer than
//! the start of the process. A checkout that was changed since shows no lines rather than wrong ones.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aclsan_render::model::SourceLines;

use super::debug_files::under;

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Most bytes that are kept of all files together; further files show no lines.
const MAX_ALL_BYTES: usize = 64 << 20;
/// Lines before and after the frame's line.
const AROUND: u32 = 1;

/// Source files, each read once.
#[derive(Default)]
pub struct Sources {
    files: HashMap<Arc<str>, Option<Source>>,
    bytes: usize,
}

struct Source {
    modified: SystemTime,
    text: String,
}

/// Where a line is wanted.
pub struct Place<'a> {
    /// Index of the frame in its stack.
    pub frame: usize,
    /// The file, as the frame names it.
    pub file: &'a Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

impl Sources {
    /// The lines around `place`, if the file is not newer than `newest`. `sysroot` is searched first.
    pub fn lines(
        &mut self,
        place: &Place,
        newest: SystemTime,
        sysroot: Option<&Path>,
    ) -> Option<SourceLines> {
        if !self.files.contains_key(place.file) {
            let room = MAX_ALL_BYTES.saturating_sub(self.bytes);
            let source = read(Path::new(&**place.file), sysroot, room);
            self.bytes += source.as_ref().map_or(0, |source| source.text.len());
            self.files.insert(Arc::clone(place.file), source);
        }
        let source = self.files.get(place.file)?.as_ref()?;
        if source.modified > newest {
            return None;
        }
        let first = place.line.saturating_sub(AROUND).max(1);
        let count = place.line.checked_sub(first)? + 1 + AROUND;
        let lines = source.text.lines().skip(first as usize - 1);
        let lines: Vec<String> = lines.take(count as usize).map(str::to_owned).collect();
        let has_line = lines.len() > (place.line - first) as usize;
        has_line.then(|| SourceLines {
            frame: place.frame,
            file: Arc::clone(place.file),
            line: place.line,
            column: place.column.filter(|column| *column > 0),
            first,
            lines,
        })
    }
}

fn read(path: &Path, sysroot: Option<&Path>, room: usize) -> Option<Source> {
    if !path.is_absolute() {
        return None;
    }
    let on_sysroot = sysroot.map(|root| under(root, path));
    let path = on_sysroot.as_deref().unwrap_or(path);
    // Not a pipe or a device: opening one can wait, or have an effect.
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    if data.len() > MAX_FILE_BYTES.min(room as u64) {
        return None;
    }
    let mut text = String::new();
    let mut file = File::open(path).ok()?.take(MAX_FILE_BYTES);
    file.read_to_string(&mut text).ok()?;
    Some(Source {
        modified: data.modified().ok()?,
        text,
    })
}

/// When the file at `path` was last written.
pub fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// A time of the log's header.
pub fn realtime(ns: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("aclsan-sources-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            Self(folder)
        }

        fn file(&self, name: &str, text: &[u8]) -> Arc<str> {
            let path = self.0.join(name);
            fs::write(&path, text).expect("a file");
            path.to_str().expect("UTF-8").into()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn at(file: &Arc<str>, line: u32, newest: SystemTime) -> Option<Vec<String>> {
        let place = Place {
            frame: 0,
            file,
            line,
            column: None,
        };
        let found = Sources::default().lines(&place, newest, None);
        found.map(|found| found.lines)
    }

    #[test]
    fn three_lines_or_those_that_there_are() {
        let folder = Folder::new("lines");
        let file = folder.file("a.c", b"one\ntwo\r\nthree\n");
        let now = SystemTime::now() + Duration::from_secs(60);
        let lines = |line| at(&file, line, now).unwrap_or_default();
        assert_eq!(lines(2), ["one", "two", "three"]);
        assert_eq!(lines(1), ["one", "two"]);
        assert_eq!(lines(3), ["two", "three"]);
        assert_eq!(at(&file, 4, now), None);
        assert_eq!(at(&file, 0, now), None);
        assert_eq!(at(&file, u32::MAX, now), None);
    }

    #[test]
    fn a_file_that_is_newer_than_the_program_or_no_text_shows_nothing() {
        let folder = Folder::new("newer");
        let file = folder.file("a.c", b"one\n");
        let written = modified(Path::new(&*file)).expect("a time");
        assert!(at(&file, 1, written).is_some());
        assert_eq!(at(&file, 1, written - Duration::from_secs(1)), None);
        let binary = folder.file("b.c", b"\xff\xfe\n");
        assert_eq!(at(&binary, 1, written + Duration::from_secs(60)), None);
        for path in ["/dev/zero", "/nowhere.c", "a.c", "/"] {
            assert_eq!(at(&path.into(), 1, written), None, "{path}");
        }
    }
}
