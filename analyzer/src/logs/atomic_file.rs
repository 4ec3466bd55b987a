//! Writes a file completely or not at all: after an interrupt, a full disk or a killed container the previous file is still there.
//!
//! `atomic-write-file` does it: the bytes go into an unnamed file (`O_TMPFILE`), which the kernel drops with the process, and the complete
//! file gets its name by `linkat` and `rename`, for which `/proc` must be mounted. On a file system without `O_TMPFILE` a temporary neighbor
//! is used, which only a kill at that moment leaves behind. Three rules are ours: an event log is never overwritten, a pipe or device is
//! written to directly, and a symbolic link is followed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context, bail};
use atomic_write_file::AtomicWriteFile;
use atomic_write_file::unix::OpenOptionsExt;

use crate::logs::packed;

/// Replaces the contents of `path` by `bytes`. A pipe, a terminal or `/dev/null` is written to directly.
///
/// # Errors
/// If `path` cannot be written, or is an event log, which could not be recovered. `path` is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if packed::is_log(path) {
        bail!(
            "cannot write `{}`: it is an event log; name another file",
            path.display()
        );
    }
    write_by(path, None, &mut |to| to.write_all(bytes))
}

/// Writes a file's contents.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// As [`write`], for contents that need not be in memory at once, with these permissions for a new file, and over whatever was there, logs included.
///
/// # Errors
/// If it cannot be written.
pub fn write_by(path: &Path, mode: Option<u32>, fill: Fill) -> anyhow::Result<()> {
    replace(path, mode, fill).with_context(|| format!("cannot write `{}`", path.display()))
}

fn replace(path: &Path, mode: Option<u32>, fill: Fill) -> io::Result<()> {
    let before = fs::metadata(path);
    if before.as_ref().is_ok_and(|meta| !meta.is_file()) {
        return fill(&mut File::options().write(true).open(path)?);
    }
    // Follow a link: its target is replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if before.is_ok() {
        // A file without write permission is not replaced either.
        File::options().append(true).open(path)?;
    }
    // The mode stays, the owner does not: in a user namespace even root may not give files away.
    let mut options = AtomicWriteFile::options();
    if let Some(mode) = mode {
        options.mode(mode);
    }
    let mut file = options.preserve_owner(false).open(path)?;
    fill(&mut file)?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process;

    #[test]
    fn a_file_is_replaced_and_keeps_its_mode_and_links() {
        let folder = std::env::temp_dir().join(format!("aclsan-whole-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, link) = (folder.join("a"), folder.join("link"));
        write(&file, b"one").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_log_is_not_replaced() {
        let folder = std::env::temp_dir().join(format!("aclsan-whole-log-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (log, link) = (folder.join("a.aclsan"), folder.join("link"));
        fs::write(&log, b"ACLSANEV and what follows").unwrap();
        symlink("a.aclsan", &link).unwrap();
        for path in [&log, &link] {
            let error = write(path, b"folded").unwrap_err();
            let name = path.display();
            assert_eq!(
                format!("{error:#}"),
                format!("cannot write `{name}`: it is an event log; name another file")
            );
        }
        assert_eq!(fs::read(&log).unwrap(), b"ACLSANEV and what follows");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_device_is_written_to() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        let error = write(Path::new("/no/such/folder/file"), b"").unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "cannot write `/no/such/folder/file`: No such file or directory (os error 2)"
        );
    }
}
