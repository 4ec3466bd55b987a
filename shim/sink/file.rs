//! The log's file, held open in a process that may do anything to its descriptors.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Relaxed};

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
    /// How many threads use it at the moment, and [`GIVEN_BACK`].
    users: AtomicU32,
    path: PathBuf,
    identity: (u64, u64),
    header: Option<HeaderPage>,
}

/// Bit of [`LogFile::users`]: the descriptor is given back.
const GIVEN_BACK: u32 = 1 << 31;

/// The descriptor in use. The last user of one that is given back closes it: the next log may get its number.
struct OpenFile<'a> {
    log: &'a LogFile,
    file: &'a File,
}

impl Drop for OpenFile<'_> {
    fn drop(&mut self) {
        let before = self.log.users.fetch_sub(1, AcqRel);
        if before == GIVEN_BACK + 1 && self.log.is_it(self.file) {
            // SAFETY: ours, by its identity. The `File` is never dropped, and nobody enters any more.
            unsafe { libc::close(self.file.as_raw_fd()) };
        }
    }
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
            users: AtomicU32::new(0),
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
        if let Some(open) = self.open_file() {
            return grow(open.file);
        }
        let again = OpenOptions::new().read(true).write(true).open(&self.path)?;
        match self.is_it(&again) {
            true => grow(&again),
            false => Err(io::Error::other("another file has taken its name")),
        }
    }

    /// The open file, unless it is given back or the program has closed it; its descriptor may be another file's by now.
    fn open_file(&self) -> Option<OpenFile<'_>> {
        let file = self.file.as_ref()?;
        let enter = |users| (users & GIVEN_BACK == 0).then_some(users + 1);
        self.users.fetch_update(AcqRel, Relaxed, enter).ok()?;
        let open = OpenFile { log: self, file };
        self.is_it(file).then_some(open)
    }

    fn is_it(&self, file: &File) -> bool {
        files::identity(file) == Some(self.identity)
    }

    /// Gives the descriptor back. Whatever is written later opens the file by name.
    pub fn close(&self) {
        let _last = self.open_file();
        self.users.fetch_or(GIVEN_BACK, AcqRel);
    }

    /// Tells others that the log is no longer written.
    pub fn unlock(&self) {
        if let Some(open) = self.open_file() {
            filesystem::unlock(open.file);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that began under the first watch grows its log while the second watch begins.
    #[test]
    fn a_descriptor_that_is_given_back_stays_with_its_log_while_that_grows() {
        let folder = std::env::temp_dir().join(format!("aclsan-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let create =
            |name: &str| LogFile::create(&folder.join(name), 0o600, &[0; HEADER_USED]).unwrap();
        let first = create("first");
        let mut second = None;
        first
            .grow(1 << 20, |file| {
                first.close();
                second = Some(create("second"));
                file.set_len(1 << 20)
            })
            .unwrap();
        let length = |log: &LogFile| std::fs::metadata(log.path()).unwrap().len();
        let second = second.unwrap();
        let lengths = (length(&first), length(&second));
        assert!(first.open_file().is_none() && second.open_file().is_some());
        first.grow(2 << 20, |file| file.set_len(2 << 20)).unwrap();
        let later = length(&first);
        std::mem::forget(first); // Its descriptor is closed.
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(lengths.0 == 1 << 20 && lengths.1 < 1 << 20, "{lengths:?}");
        assert_eq!(later, 2 << 20);
    }
}
