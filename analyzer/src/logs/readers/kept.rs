//! Recordings of other tools as logs in memory, for commands that read logs.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;

use crate::io::notice;
use crate::logs::in_memory;

/// The logs of files that were converted already.
static CONVERTED: Mutex<Option<HashMap<PathBuf, Vec<PathBuf>>>> = Mutex::new(None);

/// Converts a file if it is another tool's recording. Returns the paths of its logs; `None` if it is none, or cannot be read.
///
/// # Errors
/// If it is one, and cannot be converted.
pub fn logs_of(path: &Path, name: &str) -> anyhow::Result<Option<Vec<PathBuf>>> {
    let mut converted = CONVERTED.lock().unwrap_or_else(PoisonError::into_inner);
    let converted = converted.get_or_insert_default();
    if let Some(logs) = converted.get(path) {
        return Ok(Some(logs.clone()));
    }
    let Ok((Some(reader), head)) = super::of(path, name) else {
        return Ok(None);
    };
    let source = super::Source {
        path,
        name,
        head: &head,
        skip_bad: false,
    };
    let reading = reader.read(&source)?;
    for line in &reading.notices {
        notice::say(line);
    }
    if !reading.logs.is_empty() {
        notice::say(&format!("`{name}`: {}", reader.limits()));
    }
    let mut logs = Vec::new();
    for log in &reading.logs {
        let file = in_memory::file().and_then(|mut file| file.write_all(&log.bytes).map(|()| file));
        let file = file.context("the converted log cannot be kept in a temporary file")?;
        logs.push(in_memory::keep(file, Path::new(name)));
    }
    converted.insert(path.to_owned(), logs.clone());
    Ok(Some(logs))
}
