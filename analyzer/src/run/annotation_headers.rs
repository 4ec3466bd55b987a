//! Finds `aclsan.h` and `aclsan.py`: in `include/` beside the command (a Cargo target folder), `../include/`, `../lib/aclsan/include/` or
//! `../lib64/aclsan/include/`.

use std::path::PathBuf;

use crate::run::preload::command_folder;

/// The folder with both files.
///
/// # Errors
/// If they are in none of these places; the message lists them.
pub fn find() -> anyhow::Result<PathBuf> {
    let folder = command_folder();
    let above = folder.parent().unwrap_or(&folder);
    let candidates = [
        folder.join("include"),
        above.join("include"),
        above.join("lib/aclsan/include"),
        above.join("lib64/aclsan/include"),
    ];
    if let Some(found) = candidates
        .iter()
        .find(|folder| folder.join("aclsan.h").is_file())
    {
        return Ok(found.clone());
    }
    let looked_at = candidates.map(|folder| format!("`{}`", folder.join("aclsan.h").display()));
    anyhow::bail!(
        "aclsan.h was not found; looked at {}; `pip install aclsan` installs it, `cargo build --release` builds it",
        looked_at.join(", ")
    )
}
