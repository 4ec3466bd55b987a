//! Files that are whole or not there: an interrupted command, a full disk, a killed container leave the file that was there before.
//!
//! The bytes go into a file without a name, which the kernel forgets with the process, whatever ends it; it gets its name when they are
//! all there. Where the file system has no such files, they go into a neighbour, which only a kill in that moment leaves behind.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, bail};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

use crate::logs::packed;

/// Writes `bytes` to `path`, in place of what was there. A pipe, a terminal and `/dev/null` are written to as they are.
///
/// # Errors
/// When it cannot be written, or is an event log, which nothing brings back; `path` is as before then.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if packed::is_log(path) {
        bail!(
            "cannot write `{}`: it is an event log; name another file",
            path.display()
        );
    }
    write_by(path, &mut |to| to.write_all(bytes))
}

/// Writes the bytes of a file.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// The same for what need not be in memory at once, and in place of whatever was there. `fill` is asked again where the file system makes no file without a name.
///
/// # Errors
/// When it cannot be written.
pub fn write_by(path: &Path, fill: Fill) -> anyhow::Result<()> {
    put(path, fill).with_context(|| format!("cannot write `{}`", path.display()))
}

fn put(path: &Path, fill: Fill) -> io::Result<()> {
    let before = fs::metadata(path);
    if before.as_ref().is_ok_and(|meta| !meta.is_file()) {
        return fill(&mut File::options().write(true).open(path)?);
    }
    // A link is followed: what it names is replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = match before {
        // What may not be written to is not replaced either.
        Ok(meta) => {
            File::options().append(true).open(path)?;
            Some(meta.permissions())
        }
        Err(_) => None,
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    nameless(folder, path, &mut *fill, permissions.as_ref()).unwrap_or_else(|| {
        let neighbour = neighbour(path);
        let done = File::create(&neighbour)
            .and_then(|mut file| fill(&mut file))
            .and_then(|()| permissions.map_or(Ok(()), |is| fs::set_permissions(&neighbour, is)))
            .and_then(|()| fs::rename(&neighbour, path));
        if done.is_err() {
            let _ = fs::remove_file(&neighbour);
        }
        done
    })
}

/// By a file without a name; `None` where there are none.
fn nameless(
    folder: &Path,
    path: &Path,
    fill: Fill,
    permissions: Option<&Permissions>,
) -> Option<io::Result<()>> {
    let mode = Mode::from_raw_mode(0o666);
    let file = openat(
        CWD,
        folder,
        OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC,
        mode,
    );
    let mut file = File::from(file.ok()?);
    if let Err(error) = fill(&mut file) {
        return Some(Err(error));
    }
    if let Some(Err(error)) = permissions.map(|is| file.set_permissions(is.clone())) {
        return Some(Err(error));
    }
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let neighbour = neighbour(path);
    let _ = fs::remove_file(&neighbour);
    linkat(CWD, own.as_str(), CWD, &neighbour, AtFlags::SYMLINK_FOLLOW).ok()?;
    Some(fs::rename(&neighbour, path).inspect_err(|_| drop(fs::remove_file(&neighbour))))
}

fn neighbour(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

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
