//! Which log files an argument names: a file, a folder or a pattern.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::{fmt, fs};

use aclsan_dataset::place::is_dataset;
use anyhow::{Context, bail};
use glob::{MatchOptions, glob_with};

use crate::logs::readers::kept;
use crate::logs::{in_memory, packed, standard_input};

/// Extension of logs; only such files are taken from a folder.
const EXTENSION: &str = "aclsan";

/// A folder without logs: no process that was to write there called AscendCL.
#[derive(Clone, Debug)]
pub struct NothingObserved(PathBuf);

impl NothingObserved {
    /// The exit code of every command that reads logs.
    pub const CODE: u8 = 3;

    /// The reason why a check fails.
    pub fn reason(&self) -> String {
        format!("folder `{}` holds no log", self.0.display())
    }
}

impl fmt::Display for NothingObserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "folder `{}` holds no log: their names end in `.{EXTENSION}`",
            self.0.display()
        )
    }
}

impl std::error::Error for NothingObserved {}

/// Whether a file is named like a log, packed or not. A number follows if the name was taken, as after `exec`.
fn is_log(path: &Path) -> bool {
    let path = packed::unpacked(path);
    let is_number = path
        .extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| e.bytes().all(|b| b.is_ascii_digit()));
    let named = if is_number {
        path.with_extension("")
    } else {
        path
    };
    named.extension().is_some_and(|e| e == EXTENSION)
}

/// Whether a packed log belongs to the same process as the log beside it. Process numbers repeat, in containers with every start, and so do
/// names made of them. A packed file without a header, as after an interrupted pack, is nobody's.
fn is_packed_form(packed: &Path, log: &Path) -> bool {
    packed::header(packed).is_none_or(|packed| packed::header(log) == Some(packed))
}

/// The logs of a folder or a pattern, ordered by name; `-` is standard input, and any other argument is a file itself.
///
/// # Errors
/// [`NothingObserved`] for a folder without logs; any other error if no file matches a pattern or a folder cannot be read.
pub fn files_of(argument: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if standard_input::is_meant(argument) {
        return converted(vec![standard_input::path()?]);
    }
    if argument.is_dir() {
        let list = fs::read_dir(argument);
        let list = list.with_context(|| format!("cannot read folder `{}`", argument.display()))?;
        let mut files: Vec<PathBuf> = list
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_log(path) && path.is_file())
            .collect();
        if files.is_empty() && is_dataset(argument) {
            bail!("`{}` is a dataset: this needs the logs", argument.display());
        }
        if files.is_empty() {
            return Err(NothingObserved(argument.to_owned()).into());
        }
        files.sort();
        let logs = files.iter().map(|log| (packed::name(log), log.clone()));
        let logs: BTreeMap<PathBuf, PathBuf> = logs.collect();
        files.retain(|file| {
            let beside = logs.get(file);
            !beside.is_some_and(|log| is_packed_form(file, log))
        });
        return Ok(files);
    }
    let Some(pattern) = as_pattern(argument) else {
        return converted(vec![argument.to_owned()]);
    };
    let files = matches(pattern)?;
    if files.is_empty() {
        bail!("no file matches `{}`", argument.display());
    }
    converted(files)
}

/// The files, with the logs of those that are recordings of other tools instead of these.
fn converted(files: Vec<PathBuf>) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for file in files {
        let name = in_memory::shown(&file).display().to_string();
        match kept::logs_of(&file, &name)? {
            None => all.push(file),
            Some(logs) if logs.is_empty() => bail!("`{name}` has nothing that a log could hold"),
            Some(logs) => all.extend(logs),
        }
    }
    Ok(all)
}

/// `argument` as a pattern, for callers without a shell. An existing file of that very name wins.
fn as_pattern(argument: &Path) -> Option<&str> {
    let text = argument.to_str()?;
    let is_pattern = text.contains(['*', '?']) || text.contains('[') && text.contains(']');
    (is_pattern && !argument.exists()).then_some(text)
}

/// The files that match, sorted. A name that begins with a dot needs a dot in the pattern, as in a shell.
fn matches(pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        // In glob 0.3.4 this drops such names whatever the pattern, and panics on names that are not UTF-8.
        require_literal_leading_dot: false,
    };
    let paths = glob_with(pattern, options)
        .with_context(|| format!("`{pattern}` is not a valid pattern"))?;
    // A folder that cannot be read has no match.
    let files = paths.flatten().filter(|path| path.is_file());
    let mut files: Vec<PathBuf> = files
        .filter(|path| dots_are_written(pattern, path))
        .collect();
    files.sort();
    Ok(files)
}

/// Whether every name in `path` that begins with a dot has its dot from the pattern.
fn dots_are_written(pattern: &str, path: &Path) -> bool {
    let has_dot = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
    let (parts, names) = (Path::new(pattern).components(), path.components());
    match pattern.contains("**") {
        // It is open which part belongs to which name.
        true => {
            names.filter(|name| has_dot(*name)).count()
                <= parts.filter(|part| has_dot(*part)).count()
        }
        false => parts
            .rev()
            .zip(names.rev())
            .all(|(part, name)| !has_dot(name) || has_dot(part)),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn patterns_match_as_a_shell_expands_them() {
        let folder = std::env::temp_dir().join(format!("aclsan-select-{}", std::process::id()));
        fs::create_dir_all(folder.join("deep")).unwrap();
        for name in [
            "rank7.aclsan",
            "rank10.aclsan",
            "a-b-b-c",
            "a.aclsan.gz",
            ".hidden.aclsan",
            "deep/b.aclsan",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        fs::write(folder.join(OsStr::from_bytes(b"\xff.aclsan")), "").unwrap();
        let found = |pattern: &str| {
            let files = matches(folder.join(pattern).to_str().unwrap()).unwrap();
            let names = files.iter().map(|file| file.strip_prefix(&folder).unwrap());
            names
                .map(|name| name.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("*.aclsan"), ["rank10.aclsan", "rank7.aclsan"]);
        assert_eq!(found("rank?.aclsan"), ["rank7.aclsan"]);
        assert_eq!(found("a*b*c"), ["a-b-b-c"]);
        assert_eq!(found(".*.aclsan"), [".hidden.aclsan"]);
        assert_eq!(found("rank[0-9].aclsan"), ["rank7.aclsan"]);
        assert_eq!(found("*/*.aclsan"), ["deep/b.aclsan"]);
        assert_eq!(found("**/b.aclsan"), ["deep/b.aclsan"]);
        assert_eq!(found("a*b"), [""; 0]);
        assert_eq!(
            found("*"),
            ["a-b-b-c", "a.aclsan.gz", "rank10.aclsan", "rank7.aclsan"]
        );
        assert!(!found("**/*").contains(&".hidden.aclsan".to_owned()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_name_that_exists_is_no_pattern_and_a_broken_pattern_is_named() {
        let file = std::env::temp_dir().join(format!("aclsan-[{}].aclsan", std::process::id()));
        fs::write(&file, "").unwrap();
        assert_eq!(files_of(&file).unwrap(), std::slice::from_ref(&file));
        fs::remove_file(&file).unwrap();
        assert!(
            files_of(&file)
                .unwrap_err()
                .to_string()
                .starts_with("no file matches")
        );
        let broken = files_of(Path::new("no/***/such")).unwrap_err();
        assert_eq!(broken.to_string(), "`no/***/such` is not a valid pattern");
        assert_eq!(
            files_of(Path::new("half[open")).unwrap(),
            [Path::new("half[open")]
        );
    }
}
