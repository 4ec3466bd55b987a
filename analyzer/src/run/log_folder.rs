//! Room for logs, checked before the program starts: a run of hours whose log cannot be written is worse than none.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rustix::fs::{Access, access};

use crate::io::notice;
use crate::run::log_path::{self, DEFAULT, place};

/// Makes the folder of a log template and gives the template from the root. Without a template the working directory takes the log, and
/// where that cannot be written, the folder for temporary files.
///
/// # Errors
/// When a folder that was asked for cannot be made or written.
pub fn prepare(template: Option<&str>) -> anyhow::Result<String> {
    if let Some(template) = template {
        let template = log_path::absolute(&log_path::of_option(template));
        make(&place(&template).folder)?;
        return Ok(template);
    }
    let here = log_path::absolute(DEFAULT);
    if make(&place(&here).folder).is_ok() {
        return Ok(here);
    }
    let temporary = std::env::temp_dir();
    let elsewhere = format!("{}/{DEFAULT}", temporary.display());
    make(&temporary)?;
    notice::say(&format!(
        "this folder is gone or cannot be written, so the log goes to `{}`; -o PATH chooses another place",
        temporary.display()
    ));
    Ok(elsewhere)
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let why = || {
        format!(
            "logs cannot be written to `{}`; choose another place with -o PATH",
            folder.display()
        )
    };
    fs::create_dir_all(folder).with_context(why)?;
    // A working directory that somebody has removed is still there for `.`, but takes no file; it has no path.
    fs::canonicalize(folder).with_context(why)?;
    access(folder, Access::WRITE_OK | Access::EXEC_OK).with_context(why)
}

/// The folder that logs of the template were to go to, if none can be written there.
pub fn lost(template: &str) -> Option<PathBuf> {
    let folder = place(&log_path::in_environment(template)).folder;
    // One that is not there yet is made by the shim where it can be.
    let above = folder.ancestors().find(|above| above.exists())?;
    access(above, Access::WRITE_OK | Access::EXEC_OK)
        .is_err()
        .then_some(folder)
}
