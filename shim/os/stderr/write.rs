//! Writes a message in chunks that a pipe takes whole, each when there is room. If nobody reads stderr the program must
//! not block forever because of us, so the write times out; the message's facts are in the log too.

use super::PATIENCE;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Messages dropped since the last one that was written in full.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Number of messages before this one that were not written in full.
pub fn dropped_messages() -> u64 {
    DROPPED.load(Relaxed)
}

/// Resets the count.
pub fn reset_dropped_messages() {
    DROPPED.store(0, Relaxed);
}

/// Writes to stderr. Returns the signal that the write raised: SIGPIPE if nobody reads, SIGXFSZ if the file may not
/// grow.
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
                // stderr is closed or full: not our concern
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

/// Waits until stderr takes a chunk or has no reader any more; `false` on timeout.
fn has_room(until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut stderr = libc::pollfd {
            fd: 2,
            events: libc::POLLOUT,
            revents: 0,
        };
        // SAFETY: one descriptor, in local memory.
        let ready = unsafe { libc::poll(&raw mut stderr, 1, left.as_millis() as libc::c_int) };
        let is_interrupted = || std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        match ready {
            0 if left.is_zero() => return false,
            0 => {}
            -1 if is_interrupted() => {}
            // There is room, or no way to tell.
            _ => return true,
        }
    }
}

/// Bytes to write at once: the whole lines that a full pipe takes in one chunk, or a single longer line. In the middle
/// of a larger write the kernel lets other writers in: the program itself, or other ranks of a job.
fn whole_lines(text: &[u8]) -> usize {
    let is_end = |&byte: &u8| byte == b'\n';
    let piece = &text[..text.len().min(libc::PIPE_BUF)];
    let end = piece.iter().rposition(is_end);
    let end = end.or_else(|| text.iter().position(is_end));
    end.map_or(text.len(), |end| end + 1)
}
