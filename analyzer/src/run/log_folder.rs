//! Checks the log folder before the program starts: running for hours without a writable log would be worse than not running.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rustix::fs::{Access, access};

use crate::io::notice;
use crate::run::log_path::{self, DEFAULT, place};

/// Creates the folder of a log template and returns the absolute template. Without a template, logs go into the working directory or, if
/// that is not writable, the folder for temporary files.
///
/// # Errors
/// If a requested folder cannot be created or written.
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

/// A folder for logs that nobody keeps. Removed when dropped.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes a folder below the one for temporary files, which nobody else can read.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn create() -> anyhow::Result<Self> {
        let temporary = std::env::temp_dir();
        for number in 0..1000_u32 {
            let name = format!("aclsan-{}-{number}", std::process::id());
            let folder = temporary.join(name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let why = format!(
                        "no folder can be made in `{}` for the log; set TMPDIR, or choose another place with -o PATH",
                        temporary.display()
                    );
                    return Err(error).context(why);
                }
            }
        }
        anyhow::bail!(
            "`{}` is full of folders of earlier runs: remove `aclsan-*` there",
            temporary.display()
        )
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // a process of the program may still write there
    }
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let why = || {
        format!(
            "logs cannot be written to `{}`; choose another place with -o PATH",
            folder.display()
        )
    };
    fs::create_dir_all(folder).with_context(why)?;
    // A removed working directory still resolves as `.`, but takes no file; it has no canonical path.
    fs::canonicalize(folder).with_context(why)?;
    access(folder, Access::WRITE_OK | Access::EXEC_OK).with_context(why)
}

/// The folder for logs of the template, if none can be written there.
pub fn lost(template: &str) -> Option<PathBuf> {
    let folder = place(&log_path::in_environment(template)).folder;
    // The shim creates a missing folder if it can.
    let above = folder.ancestors().find(|above| above.exists())?;
    access(above, Access::WRITE_OK | Access::EXEC_OK)
        .is_err()
        .then_some(folder)
}
