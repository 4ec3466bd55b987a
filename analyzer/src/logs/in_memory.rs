//! Logs in memory under a name in `/proc`, as logs are mapped and read more than once.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{MemfdFlags, memfd_create};

/// A file that stays open.
struct Kept {
    _file: File,
    path: PathBuf,
    /// What the user calls it.
    name: PathBuf,
}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// An empty file in memory.
///
/// # Errors
/// If there can be none.
pub fn file() -> io::Result<File> {
    Ok(File::from(memfd_create("aclsan-log", MemfdFlags::CLOEXEC)?))
}

/// Keeps a file that the user calls `name`. Returns its path.
pub fn keep(file: File, name: &Path) -> PathBuf {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push(Kept {
        _file: file,
        path: path.clone(),
        name: name.to_owned(),
    });
    path
}

/// A path as the user wrote it.
pub fn shown(path: &Path) -> PathBuf {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept.iter().find(|kept| kept.path == path);
    known.map_or(path, |kept| &kept.name).to_owned()
}

/// Whether a path is such a file's, beside which nothing can be written.
pub fn is_kept(path: &Path) -> bool {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().any(|kept| kept.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_memory_has_a_path_and_the_name_that_the_user_knows() {
        let path = keep(file().unwrap(), Path::new("a.pickle"));
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        assert_eq!(shown(&path), Path::new("a.pickle"));
        assert!(is_kept(&path) && !is_kept(Path::new("a.pickle")));
        assert_eq!(shown(Path::new("a.aclsan")), Path::new("a.aclsan"));
    }
}
