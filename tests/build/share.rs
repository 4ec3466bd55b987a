//! Files that other build systems read, with the version and the address of the manifest.

use std::fs;
use std::io;
use std::path::Path;

/// Copies a tree of templates and fills them in.
pub fn install(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            install(&entry.path(), &target)?;
            continue;
        }
        let text = fs::read_to_string(entry.path())?
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace("@REPOSITORY@", env!("CARGO_PKG_REPOSITORY"));
        let fresh = target.with_extension("installing");
        fs::write(&fresh, text)?;
        fs::rename(&fresh, &target)?;
    }
    Ok(())
}
