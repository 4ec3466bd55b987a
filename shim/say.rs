//! The shim's own words on stderr: one `write(2)` a message, each line behind `==PID==`, nothing else ever.

use crate::uncancelled::Uncancelled;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    without_sigpipe(|| write(out.as_bytes()));
}

/// Whether there is a stderr. Where there is none, the number may come to be that of a file of the program's.
pub fn has_stderr() -> bool {
    // SAFETY: asks about a descriptor.
    unsafe { libc::fcntl(2, libc::F_GETFD) != -1 }
}

fn write(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are a live slice of that length.
        let written = unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => bytes = &bytes[count..],
            _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            _ => return, // stderr is closed or full: the program's business
        }
    }
}

/// Runs `body`, which may write to a pipe that nobody reads: the signal that the thread gets for that is ours to take.
fn without_sigpipe(body: impl FnOnce()) {
    let mut pipe = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: makes the set empty.
    unsafe { libc::sigemptyset(pipe.as_mut_ptr()) };
    // SAFETY: a set, and a signal that exists.
    unsafe { libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE) };
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: two sets of ours, the first filled.
    let blocked =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, pipe.as_ptr(), before.as_mut_ptr()) };
    if blocked != 0 {
        return body();
    }
    // One that waits already is the program's, and hides ours.
    let is_programs = is_pending(libc::SIGPIPE);
    body();
    while !is_programs && is_pending(libc::SIGPIPE) {
        let at_once = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: our own set and time; nothing is told about the signal.
        unsafe { libc::sigtimedwait(pipe.as_ptr(), std::ptr::null_mut(), &at_once) };
    }
    // SAFETY: the set that was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
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
