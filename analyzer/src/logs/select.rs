//! The files that an argument stands for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, bail};

use super::glob;
use crate::logs::packed;

/// Extension of a log's file name: what is taken from a folder.
const EXTENSION: &str = "aclsan";

/// A folder without a log: no process that was to write there called AscendCL.
#[derive(Clone, Debug)]
pub struct NothingObserved(PathBuf);

impl NothingObserved {
    /// The exit code of every verb that reads logs.
    pub const CODE: u8 = 3;

    /// Why a check fails.
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

/// Whether a file is named as a log is, packed or not; a number follows where the name was taken, as after `exec`.
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

/// Whether a packed log is none of another process than the one whose log lies beside it. A number comes again, in containers with every
/// start, and so does a name made of it. What has no header, as where packing was broken off, is nobody's.
fn is_packed_form(packed: &Path, log: &Path) -> bool {
    packed::header(packed).is_none_or(|packed| packed::header(log) == Some(packed))
}

/// The logs of a folder or a pattern, in the order of their names; any other file itself.
///
/// # Errors
/// [`NothingObserved`] of a folder without any; where no file matches a pattern, and where a folder cannot be read.
pub fn files_of(argument: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if argument.is_dir() {
        let list = fs::read_dir(argument);
        let list = list.with_context(|| format!("cannot read folder `{}`", argument.display()))?;
        let mut files: Vec<PathBuf> = list
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_log(path) && path.is_file())
            .collect();
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
    if argument.exists() || !glob::is_pattern(argument) {
        return Ok(vec![argument.to_owned()]);
    }
    let files = glob::matches(argument);
    if files.is_empty() {
        bail!("no file matches `{}`", argument.display());
    }
    Ok(files)
}
