//! A message goes out in pieces that a pipe takes whole, each when there is room for it. A program whose stderr nobody reads must not wait
//! for ever because of us: what it should have been told is in the log, too.

use super::PATIENCE;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Messages that found no room, the last time that there was none.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// How many messages before this one were not written, or not wholly.
pub fn dropped_messages() -> u64 {
    DROPPED.load(Relaxed)
}

/// Starts to count anew.
pub fn reset_dropped_messages() {
    DROPPED.store(0, Relaxed);
}

/// Writes to stderr. The signal that came of it, if nobody reads what was to be written, or the file may not grow so far.
pub fn write(mut text: &[u8]) -> Option<libc::c_int> {
    let mut until = Instant::now();
    if dropped_messages() == 0 {
        until += PATIENCE;
    }
    while !text.is_empty() {
        if !has_room(until) {
            return drop_message();
        }
        let piece = &text[..whole_lines(text)];
        // SAFETY: the bytes are a live slice of that length.
        let written = unsafe { libc::write(2, piece.as_ptr().cast(), piece.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => {
                text = &text[count..];
                until = Instant::now() + PATIENCE;
            }
            _ => match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EAGAIN) if Instant::now() < until => {}
                Some(libc::EAGAIN) => return drop_message(),
                Some(libc::EPIPE) => return Some(libc::SIGPIPE),
                Some(libc::EFBIG) => return Some(libc::SIGXFSZ),
                // stderr is closed or full: the program's business
                _ => return None,
            },
        }
    }
    reset_dropped_messages();
    None
}

fn drop_message() -> Option<libc::c_int> {
    DROPPED.fetch_add(1, Relaxed);
    None
}

/// Waits until stderr takes a piece, or has no reader any more; `false` where that comes too late.
fn has_room(until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut stderr = libc::pollfd {
            fd: 2,
            events: libc::POLLOUT,
            revents: 0,
        };
        // SAFETY: one descriptor, in memory of our own.
        let ready = unsafe { libc::poll(&raw mut stderr, 1, left.as_millis() as libc::c_int) };
        let is_interrupted = || std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        match ready {
            0 if left.is_zero() => return false,
            0 => {}
            -1 if is_interrupted() => {}
            // There is room, or no way to ask.
            _ => return true,
        }
    }
}

/// How many bytes are written at once: the lines that a full pipe takes in one piece, or one that is longer. Amid a larger write the kernel
/// lets others in: the program itself, or the other ranks of a job.
fn whole_lines(text: &[u8]) -> usize {
    let is_end = |&byte: &u8| byte == b'\n';
    let piece = &text[..text.len().min(libc::PIPE_BUF)];
    let end = piece.iter().rposition(is_end);
    let end = end.or_else(|| text.iter().position(is_end));
    end.map_or(text.len(), |end| end + 1)
}
