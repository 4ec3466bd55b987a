//! Reads files with calls that a seccomp filter allows; see [`seccomp`](crate::seccomp).

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Reads a whole file as lossy UTF-8, without asking for its size.
pub fn read(path: &str) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let (mut all, mut bytes) = (Vec::new(), vec![0; 16 * 1024]);
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Some(String::from_utf8_lossy(&all).into_owned()),
            Ok(count) => all.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Device and inode number of a file.
pub fn identity(file: &File) -> Option<(u64, u64)> {
    facts(file).map(|facts| (facts.st_dev, facts.st_ino))
}

/// Whether it is a regular file, not a device, pipe or folder.
pub fn is_regular(file: &File) -> bool {
    facts(file).is_some_and(|facts| facts.st_mode & libc::S_IFMT == libc::S_IFREG)
}

fn facts(file: &File) -> Option<libc::stat64> {
    let mut facts = MaybeUninit::<libc::stat64>::uninit();
    // SAFETY: `file` keeps the descriptor open; fills a local variable on success.
    if unsafe { libc::fstat64(file.as_raw_fd(), facts.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: filled above.
    Some(unsafe { facts.assume_init() })
}

/// Path of the running executable, empty if unknown. Read once: `exec` starts a new process image.
pub fn executable_path() -> &'static PathBuf {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| std::fs::read_link("/proc/self/exe").unwrap_or_default())
}
