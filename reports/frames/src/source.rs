//! Source lines around a frame.
//!
//! A file counts as the one that was compiled if it is not newer than the binary; for Python, not newer than the start of the process. A
//! checkout that was changed since shows no lines rather than wrong ones.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Lines before and after the frame's line.
const AROUND: u32 = 1;
/// Width of a tab.
const TAB: &str = "    ";
/// Longest line that is shown, in characters.
const MAX_CHARS: usize = 160;

/// The text of a source file, and when it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    modified: SystemTime,
    text: String,
}

impl Source {
    /// Reads the file at an absolute path, if it is a regular file of UTF-8 with at most `room` bytes and 4 MiB.
    pub fn read(path: &Path, room: u64) -> Option<Self> {
        // Not a pipe or a device: opening one can wait, or have an effect.
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        if !path.is_absolute() || data.len() > MAX_FILE_BYTES.min(room) {
            return None;
        }
        let mut text = String::new();
        let mut file = File::open(path).ok()?.take(MAX_FILE_BYTES);
        file.read_to_string(&mut text).ok()?;
        Some(Self {
            modified: data.modified().ok()?,
            text,
        })
    }

    /// Bytes of its text.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The lines around `line`, from 1, and the number of the first, if the file has that line and is not newer than `newest`.
    pub fn around(&self, line: u32, newest: SystemTime) -> Option<(u32, Vec<String>)> {
        if self.modified > newest {
            return None;
        }
        let first = line.saturating_sub(AROUND).max(1);
        let count = line.checked_sub(first)?.saturating_add(1 + AROUND);
        let lines = self.text.lines().skip(first as usize - 1);
        let lines: Vec<String> = lines.take(count as usize).map(str::to_owned).collect();
        let has_line = lines.len() > (line - first) as usize;
        has_line.then_some((first, lines))
    }
}

/// When the file at `path` was last written.
pub fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Lines of a source file, numbered from `first`, as a text shows them: with a caret below `line`, at its column, from 1, or first word.
pub fn excerpt(lines: &[String], first: u32, line: u32, column: Option<u32>) -> Vec<String> {
    let last = first as usize + lines.len().saturating_sub(1);
    let width = last.to_string().len();
    let mut out = Vec::new();
    for (text, number) in lines.iter().zip(first..) {
        let mark = match number == line {
            true => '>',
            false => ' ',
        };
        out.push(format!("{mark} {number:>width$} | {}", shown(text)));
        if number == line {
            let blank = " ".repeat(caret(text, column));
            out.push(format!("  {:width$} | {blank}^", ""));
        }
    }
    out
}

/// A source line alone, without its indentation.
pub fn single(text: &str, line: u32) -> String {
    format!("{line} | {}", shown(text.trim()))
}

/// Where the caret is, in characters of the line as shown.
fn caret(line: &str, column: Option<u32>) -> usize {
    let indent = line.len() - line.trim_start().len();
    let column = column.and_then(|column| column.checked_sub(1));
    let column = column.map_or(indent, |column| column as usize);
    let before = line.get(..column).unwrap_or(&line[..indent]);
    shown(before).chars().count()
}

fn shown(line: &str) -> String {
    let line = line.replace('\t', TAB);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::Duration;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("aclsan-source-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            Self(folder)
        }

        fn file(&self, name: &str, text: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).expect("a file");
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn at(file: &Path, line: u32, newest: SystemTime) -> Option<Vec<String>> {
        let source = Source::read(file, u64::MAX)?;
        Some(source.around(line, newest)?.1)
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
        let written = modified(&file).expect("a time");
        assert!(at(&file, 1, written).is_some());
        assert_eq!(at(&file, 1, written - Duration::from_secs(1)), None);
        assert_eq!(Source::read(&file, 3), None);
        let binary = folder.file("b.c", b"\xff\xfe\n");
        assert_eq!(Source::read(&binary, u64::MAX), None);
        for path in ["/dev/zero", "/nowhere.c", "a.c", "/"] {
            assert_eq!(Source::read(Path::new(path), u64::MAX), None, "{path}");
        }
    }

    fn carets(column: Option<u32>) -> Vec<String> {
        let lines = ["void f() {", "\tx = grab(p);", "}"].map(str::to_owned);
        excerpt(&lines, 9, 10, column)
    }

    #[test]
    fn the_caret_is_below_the_column_or_the_first_word() {
        let with_column = [
            "   9 | void f() {",
            "> 10 |     x = grab(p);",
            "     |         ^",
            "  11 | }",
        ];
        assert_eq!(carets(Some(6)), with_column);
        for odd in [None, Some(400), Some(0)] {
            assert_eq!(carets(odd)[2], "     |     ^");
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        let lines = ["é".repeat(400)];
        assert!(excerpt(&lines, 1, 1, Some(2))[0].chars().count() < 170);
    }
}
