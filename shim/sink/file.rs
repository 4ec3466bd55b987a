//! The log's file, held in a process that may do anything with its descriptors.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::path;
use crate::{limits, plain};
use aclsan_log::layout::{HEADER_USED, SEGMENT_BYTES};

/// Descriptors below this one are the program's: shells and daemons close or reuse them by number.
const LOWEST: i32 = 512;
/// Where a process may have fewer descriptors than this, none of them is kept for the log.
const FEW: u64 = 64;

/// A file that was made for this process.
pub struct LogFile {
    /// Kept open where no program looks for a descriptor; else the file is opened anew each time it grows.
    file: Option<File>,
    path: PathBuf,
    identity: (u64, u64),
}

impl LogFile {
    /// Makes the file and writes its header.
    ///
    /// # Errors
    /// The system's, or [`io::ErrorKind::FileTooLarge`] where the kernel would kill the program with SIGXFSZ.
    pub fn create(wanted: &Path, header: &[u8; HEADER_USED]) -> io::Result<Self> {
        check_limit(end_of(0))?;
        let (file, path) = path::create(wanted)?;
        file.write_all_at(header, 0)?;
        let identity = plain::identity(&file).ok_or_else(io::Error::last_os_error)?;
        Ok(Self {
            file: out_of_the_way(file),
            path,
            identity,
        })
    }

    /// Its absolute path.
    pub fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Runs `grow` on the file, by descriptor or, if the program has closed that, by name; never on another file that now has the
    /// descriptor. `end` is how long the file is going to be.
    ///
    /// # Errors
    /// The system's, or [`io::ErrorKind::FileTooLarge`] where the kernel would kill the program with SIGXFSZ.
    pub fn grow<T>(&self, end: u64, grow: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        check_limit(end)?;
        let is_ours = |file: &File| plain::identity(file) == Some(self.identity);
        if let Some(file) = self.file.as_ref().filter(|file| is_ours(file)) {
            return grow(file);
        }
        let again = OpenOptions::new().read(true).write(true).open(&self.path)?;
        if is_ours(&again) {
            grow(&again)
        } else {
            Err(io::Error::other("another file has taken its name"))
        }
    }
}

/// Moves a descriptor to a high number; `None`, and closed, where the program may have so few that it would miss one.
fn out_of_the_way(file: File) -> Option<File> {
    let most = limits::of(libc::RLIMIT_NOFILE);
    let lowest = LOWEST.min((most / 4 * 3).try_into().unwrap_or(LOWEST));
    if most < FEW {
        return None;
    }
    // SAFETY: a plain system call on a descriptor that `file` keeps open.
    let high = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) };
    // SAFETY: just made, and nobody else knows it.
    (high >= 0).then(|| unsafe { File::from_raw_fd(high) })
}

/// Whether a file may become `end` bytes long. Under a filter of system calls, what was last known counts.
fn check_limit(end: u64) -> io::Result<()> {
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);
    if !plain::is_filtered() {
        LAST.store(limits::of(libc::RLIMIT_FSIZE), Relaxed);
    }
    if end <= LAST.load(Relaxed) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the limit on the size of files (ulimit -f)",
    ))
}

/// Bytes that the file has behind segment number `index`.
pub fn end_of(index: u32) -> u64 {
    aclsan_log::layout::HEADER_BYTES as u64 + (u64::from(index) + 1) * SEGMENT_BYTES as u64
}
