//! The log's file, held open in a process that may do anything to its descriptors.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::header::HeaderPage;
use crate::{filesystem, path};
use aclsan_log::End;
use aclsan_log::end::END;
use aclsan_log::layout::{HEADER_USED, LOST, Lost, SEGMENT_BYTES};
use aclsan_os::{files, rlimit, seccomp};

/// Descriptors below this one are left to the program: shells and daemons close or reuse them by number.
const MIN_DESCRIPTOR: i32 = 512;
/// If the process may have fewer descriptors than this, none is kept for the log.
const MIN_LIMIT: u64 = 64;

/// The file created for this process.
pub struct LogFile {
    /// Kept open at a number where no program looks. If `None`, the file is reopened each time it grows.
    file: Option<File>,
    path: PathBuf,
    identity: (u64, u64),
    header: Option<HeaderPage>,
}

/// Whether the log's path still names the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkState {
    /// It does, as far as is known.
    Same,
    /// There is no such file.
    Removed,
    /// Another file has that name.
    Replaced,
}

#[allow(non_upper_case_globals)]
impl LinkState {
    #[doc(hidden)]
    pub const Stands: Self = Self::Same;
    #[doc(hidden)]
    pub const Gone: Self = Self::Removed;
    #[doc(hidden)]
    pub const Taken: Self = Self::Replaced;
}

impl LogFile {
    /// Creates the file with these permissions, as far as the umask allows them, and writes its header.
    ///
    /// # Errors
    /// The system's error, or [`io::ErrorKind::FileTooLarge`] where the kernel would kill the program with SIGXFSZ.
    pub fn create(wanted: &Path, mode: u32, header: &[u8; HEADER_USED]) -> io::Result<Self> {
        check_limit(end_of(0))?;
        let (file, path) = path::create(wanted, mode)?;
        let header = HeaderPage::write(&file, header)?;
        let identity = files::identity(&file).ok_or_else(io::Error::last_os_error)?;
        let file = move_high(file);
        file.iter().for_each(filesystem::lock);
        Ok(Self {
            file,
            path,
            identity,
            header,
        })
    }

    /// Its absolute path.
    pub fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Runs `grow` on the file: by descriptor, or by name if the program has closed that. Never runs it on another file
    /// that now has the descriptor. `end` is the length that the file will have.
    ///
    /// # Errors
    /// The system's error, or [`io::ErrorKind::FileTooLarge`] where the kernel would kill the program with SIGXFSZ.
    pub fn grow<T>(&self, end: u64, grow: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        check_limit(end)?;
        if let Some(file) = self.open_file() {
            return grow(file);
        }
        let again = OpenOptions::new().read(true).write(true).open(&self.path)?;
        match self.is_it(&again) {
            true => grow(&again),
            false => Err(io::Error::other("another file has taken its name")),
        }
    }

    /// The open file, unless the program has closed it; its descriptor may be another file's by now.
    fn open_file(&self) -> Option<&File> {
        self.file.as_ref().filter(|file| self.is_it(file))
    }

    fn is_it(&self, file: &File) -> bool {
        files::identity(file) == Some(self.identity)
    }

    /// Gives the descriptor back. Whatever is written later opens the file by name.
    pub fn close(&self) {
        if let Some(file) = self.open_file() {
            // SAFETY: ours, by its identity. `file` is never dropped, and `grow` asks for the identity before each use.
            unsafe { libc::close(file.as_raw_fd()) };
        }
    }

    /// Tells others that the log is no longer written.
    pub fn unlock(&self) {
        self.open_file().into_iter().for_each(filesystem::unlock);
    }

    /// Writes the lost counts into the header, whose space is already allocated.
    pub fn write_lost_counts(&self, lost: Lost) {
        let written = self.grow(LOST.end as u64, |file| {
            file.write_all_at(&lost.encode(), LOST.start as u64)
        });
        // If this fails too, stderr has the counts at the end.
        if written.is_err_and(|error| is_unreachable(&error))
            && let Some(header) = &self.header
        {
            header.store(lost);
        }
    }

    /// Writes how the process ends, with these frames. Takes no lock.
    pub fn write_end(&self, end: &End, frames: &[u64]) {
        match &self.header {
            Some(header) => header.store_end(end, frames),
            None => {
                let end = End {
                    frames: frames.to_vec(),
                    ..end.clone()
                };
                let bytes = end.encode();
                // If this fails, the log has no end.
                let _ = self.grow((END.start + bytes.len()) as u64, |file| {
                    file.write_all_at(&bytes, END.start as u64)
                });
            }
        }
    }

    /// Whether the log's path still names the log.
    pub fn link_state(&self) -> LinkState {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_PATH); // needs no permission to read it
        match options.open(&self.path) {
            Ok(file) => match files::identity(&file) {
                Some(identity) if identity != self.identity => LinkState::Replaced,
                _ => LinkState::Same,
            },
            Err(error) => match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => LinkState::Removed,
                _ => LinkState::Same,
            },
        }
    }
}

/// Whether a failed write only means that the file cannot be reached from here, and its disk is fine.
fn is_unreachable(error: &io::Error) -> bool {
    use libc::{EACCES, ELOOP, EMFILE, ENFILE, ENOENT, ENOSYS, ENOTDIR, EPERM};
    let reasons = [
        ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, EMFILE, ENFILE, ENOSYS,
    ];
    // Errors without a code are our own: another file has its name, or there is a limit on the size of files.
    error
        .raw_os_error()
        .is_none_or(|code| reasons.contains(&code))
}

/// Moves a descriptor to a high number. Returns `None`, and closes it, if the program may have so few that it would
/// miss one.
fn move_high(file: File) -> Option<File> {
    let most = rlimit::soft_limit(libc::RLIMIT_NOFILE);
    let lowest = MIN_DESCRIPTOR.min((most / 4 * 3).try_into().unwrap_or(MIN_DESCRIPTOR));
    if most < MIN_LIMIT {
        return None;
    }
    // SAFETY: a system call on a descriptor that `file` keeps open.
    let high = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) };
    // SAFETY: just created, and nobody else knows it.
    (high >= 0).then(|| unsafe { File::from_raw_fd(high) })
}

/// Whether a file may become `end` bytes long. Under a seccomp filter the last known limit counts.
pub fn check_limit(end: u64) -> io::Result<()> {
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);
    if !seccomp::is_seccomp_active() {
        LAST.store(rlimit::soft_limit(libc::RLIMIT_FSIZE), Relaxed);
    }
    if end <= LAST.load(Relaxed) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the limit on the size of files (ulimit -f)",
    ))
}

/// Length of the file up to the end of segment `index`.
pub fn end_of(index: u32) -> u64 {
    aclsan_log::layout::HEADER_BYTES as u64 + (u64::from(index) + 1) * SEGMENT_BYTES as u64
}
