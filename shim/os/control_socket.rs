//! A socket beside the log, for `aclsan ctl`: only its owner is heard, in one bounded line.
//!
//! The program may close any descriptor, and open another of the same number. So each use asks first whether the descriptor is still the
//! socket, by its device and inode.

use crate::files;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest path that `bind` and `connect` take as it is; `sun_path` has 108 bytes.
const MAX_PATH: usize = 100;
/// Longest line of a client in bytes.
const MAX_LINE: usize = 1024;
/// Time that a client has for its line, and for taking the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A socket that listens.
pub struct ControlSocket {
    path: PathBuf,
    descriptor: RawFd,
    /// Its device and inode.
    identity: Option<(u64, u64)>,
}

/// A client of the same user, or root, with its line.
pub struct Client {
    stream: UnixStream,
    /// Its line, without the end.
    pub line: String,
}

impl ControlSocket {
    /// Listens at `path`. A socket that an ended process of the same number has left is replaced: the path belongs to this process's log.
    ///
    /// # Errors
    /// If the folder cannot be written, or the name is too long.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let listener = match listen(&path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                fs::remove_file(&path)?;
                listen(&path)?
            }
            other => other?,
        };
        listener.set_nonblocking(true)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        // Never dropped: the program may have closed the descriptor and reused its number.
        let descriptor = out_of_the_way(listener).into_raw_fd();
        Ok(Self {
            path,
            descriptor,
            identity: identity_of(descriptor),
        })
    }

    /// Waits for the next client that may ask, with its line. `None` after [`Self::end`], or once the program has closed the socket.
    pub fn next_client(&self) -> Option<Client> {
        loop {
            wait_for_client(self.own_descriptor()?);
            let descriptor = self.own_descriptor()?;
            // SAFETY: a descriptor that was this socket just now; dropping it is prevented.
            let listener = ManuallyDrop::new(unsafe { UnixListener::from_raw_fd(descriptor) });
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => return None,
                // Out of descriptors or memory: the program's trouble, which passes.
                Err(_) => {
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                }
            };
            if stream.set_nonblocking(false).is_err() || !is_owner(&stream) {
                continue;
            }
            if let Some(line) = line_of(&stream) {
                return Some(Client { stream, line });
            }
        }
    }

    /// Removes the socket's name and refuses clients from now on; [`Self::next_client`] returns.
    pub fn end(&self) {
        let _ = fs::remove_file(&self.path);
        if let Some(descriptor) = self.own_descriptor() {
            // SAFETY: a descriptor that is this socket; it stays open.
            unsafe { libc::shutdown(descriptor, libc::SHUT_RDWR) };
        }
    }

    /// Closes it: by the thread that has served it, or in a forked child, where it would look as if it were served.
    pub fn close(&self) {
        if let Some(descriptor) = self.own_descriptor() {
            // SAFETY: a descriptor that is this socket, which nobody uses any more.
            unsafe { libc::close(descriptor) };
        }
    }

    /// The socket's descriptor, unless the program has closed it.
    fn own_descriptor(&self) -> Option<RawFd> {
        let is_own = self.identity.is_some() && identity_of(self.descriptor) == self.identity;
        is_own.then_some(self.descriptor)
    }
}

impl Client {
    /// Answers with one line and ends the connection. A client that does not take it is left.
    pub fn answer(mut self, line: &str) {
        let _ = self.stream.set_write_timeout(Some(PATIENCE));
        let _ = self.stream.write_all(line.as_bytes());
    }
}

/// Waits until a client has come. Not in `accept`, which takes a descriptor before it waits: the program would see its own next number move.
fn wait_for_client(descriptor: RawFd) {
    let mut asked = libc::pollfd {
        fd: descriptor,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one entry, of this function's own.
    unsafe { libc::poll(&mut asked, 1, -1) };
}

/// Device and inode of what a descriptor is open on.
fn identity_of(descriptor: RawFd) -> Option<(u64, u64)> {
    // SAFETY: only asked for its attributes, which fails if it is not open; dropping it is prevented.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    files::identity(&file)
}

/// A longer path is reached through a descriptor of its folder.
fn listen(path: &Path) -> io::Result<UnixListener> {
    if path.as_os_str().len() <= MAX_PATH {
        return UnixListener::bind(path);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut open = OpenOptions::new();
    let folder = open
        .read(true)
        .custom_flags(libc::O_DIRECTORY)
        .open(folder)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
    UnixListener::bind(short)
}

/// Moves the socket to a high number: programs count on the low ones, and close a few of them blindly.
fn out_of_the_way(listener: UnixListener) -> UnixListener {
    for number in [1000, 500, 100] {
        // SAFETY: makes another descriptor of an open one.
        let moved = unsafe { libc::fcntl(listener.as_raw_fd(), libc::F_DUPFD_CLOEXEC, number) };
        if moved >= 0 {
            // SAFETY: a new descriptor of the socket that nobody else has.
            return unsafe { UnixListener::from_raw_fd(moved) };
        }
    }
    listener
}

/// Whether the other end runs as this process's user, or as root.
fn is_owner(stream: &UnixStream) -> bool {
    let mut peer = libc::ucred {
        pid: 0,
        uid: libc::uid_t::MAX,
        gid: libc::gid_t::MAX,
    };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: fills a local variable of that size.
    let answer = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &mut size,
        )
    };
    // SAFETY: asks the kernel for a number.
    let own = unsafe { libc::geteuid() };
    answer == 0 && (peer.uid == own || peer.uid == 0)
}

/// The client's line, if it comes in time and is not too long.
fn line_of(mut stream: &UnixStream) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut some = [0; MAX_LINE];
    loop {
        if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            bytes.truncate(end);
            return String::from_utf8(bytes).ok();
        }
        let rest = until.checked_duration_since(Instant::now())?;
        if bytes.len() >= MAX_LINE || rest.is_zero() {
            return None;
        }
        stream.set_read_timeout(Some(rest)).ok()?;
        match stream.read(&mut some) {
            Ok(0) => return None,
            Ok(count) => bytes.extend_from_slice(&some[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
