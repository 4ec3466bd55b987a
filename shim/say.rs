//! The shim's own words on stderr: a message at a time, each line behind `==PID==`, nothing else ever.

mod turn;

use crate::plain;
use crate::uncancelled::Uncancelled;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use turn::Turn;

/// Whether even warnings are kept back (`quiet=1`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// Keeps everything back from here on.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Whether nothing is going to be printed.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// Something that the user should know about aclsan itself.
pub fn warning(text: &str) {
    lines(&format!("aclsan: {text}"));
}

/// Prints `text`, each line behind the process's mark.
pub fn lines(text: &str) {
    if is_quiet() {
        return;
    }
    let mark = format!("=={}==", std::process::id());
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        out += &mark;
        if !line.is_empty() {
            out.push(' ');
            out += line;
        }
        out.push('\n');
    }
    let _uncancelled = Uncancelled::enter();
    let _turn = Turn::take();
    without_signals(|| write(out.as_bytes()));
}

/// Whether there is a stderr. Where there is none, the number may come to be that of a file of the program's.
pub fn has_stderr() -> bool {
    // SAFETY: asks about a descriptor.
    unsafe { libc::fcntl(2, libc::F_GETFD) != -1 }
}

/// The signal that came of it, if nobody reads what was to be written, or the file may not grow so far.
fn write(mut text: &[u8]) -> Option<libc::c_int> {
    while !text.is_empty() {
        let piece = &text[..whole_lines(text)];
        // SAFETY: the bytes are a live slice of that length.
        let written = unsafe { libc::write(2, piece.as_ptr().cast(), piece.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => text = &text[count..],
            _ => match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EPIPE) => return Some(libc::SIGPIPE),
                Some(libc::EFBIG) => return Some(libc::SIGXFSZ),
                // stderr is closed or full: the program's business
                _ => return None,
            },
        }
    }
    None
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

/// Runs `body`, which may write to a pipe that nobody reads or to a file that may not grow: the signal that the thread gets for that is
/// ours to take.
fn without_signals(body: impl FnOnce() -> Option<libc::c_int>) {
    let mut both = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: makes the set empty.
    unsafe { libc::sigemptyset(both.as_mut_ptr()) };
    for signal in SIGNALS {
        // SAFETY: a set, and a signal that exists.
        unsafe { libc::sigaddset(both.as_mut_ptr(), signal) };
    }
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: two sets of ours, the first filled.
    let blocked =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, both.as_ptr(), before.as_mut_ptr()) };
    if blocked != 0 {
        body();
        return;
    }
    // One that waits already is the program's, and hides ours.
    let is_programs = SIGNALS.map(|signal| !plain::is_filtered() && is_pending(signal));
    let ours = body();
    let is_known = |signal| {
        SIGNALS
            .into_iter()
            .zip(is_programs)
            .any(|known| known == (signal, true))
    };
    if let Some(signal) = ours.filter(|&signal| !is_known(signal)) {
        take(signal);
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
}

/// What a write can bring the thread that writes.
const SIGNALS: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Takes a blocked signal that waits for this thread.
fn take(signal: libc::c_int) {
    let mut alone = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: makes the set empty.
    unsafe { libc::sigemptyset(alone.as_mut_ptr()) };
    // SAFETY: a set, and a signal that exists.
    unsafe { libc::sigaddset(alone.as_mut_ptr(), signal) };
    let at_once = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    while is_pending(signal) {
        // SAFETY: our own set and time; nothing is told about the signal.
        unsafe { libc::sigtimedwait(alone.as_ptr(), std::ptr::null_mut(), &at_once) };
    }
}

/// Whether a blocked signal waits for this thread.
fn is_pending(signal: libc::c_int) -> bool {
    let mut waiting = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills our own set.
    if unsafe { libc::sigpending(waiting.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::sigismember(waiting.as_ptr(), signal) == 1 }
}
