//! The shim's own words on stderr: a message at a time, each line behind `==PID==`, nothing else ever.

mod lock; // one thread at a time
mod sigpipe; // the signals that come of writing
mod write; // what is written at once, and how long for a reader is waited

use crate::cancel::CancelGuard;
use lock::OutputLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A reader of stderr that takes nothing for so long is more than busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether even warnings are kept back (`quiet=1`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// Keeps everything back from here on.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Whether nothing is going to be printed.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// Something that the user should know about aclsan itself.
pub fn warning(text: &str) {
    print_lines(&format!("aclsan: {text}"));
}

/// Prints `text`, each line behind the process's mark.
pub fn print_lines(text: &str) {
    if is_quiet() {
        return;
    }
    let _uncancelled = CancelGuard::enter();
    let _lock = OutputLock::acquire();
    let mut out = String::with_capacity(text.len() + 64);
    if let dropped @ 1.. = write::dropped_messages() {
        let notice = format!(
            "aclsan: {dropped} messages are missing here: nobody read stderr, which was full, for {} s",
            PATIENCE.as_secs()
        );
        prefix_lines(&notice, &mut out);
    }
    prefix_lines(text, &mut out);
    sigpipe::with_sigpipe_blocked(|| write::write(out.as_bytes()));
}

/// Adds the lines of `text` to `out`, each behind the process's mark.
fn prefix_lines(text: &str, out: &mut String) {
    let mark = format!("=={}==", std::process::id());
    for line in text.lines() {
        *out += &mark;
        if !line.is_empty() {
            out.push(' ');
            *out += line;
        }
        out.push('\n');
    }
}

/// In a forked child: what its parent could not print is none of its messages.
pub fn forked() {
    write::reset_dropped_messages();
}

/// Whether there is a stderr. Where there is none, the number may come to be that of a file of the program's.
pub fn has_stderr() -> bool {
    // SAFETY: asks about a descriptor.
    unsafe { libc::fcntl(2, libc::F_GETFD) != -1 }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::{print_lines as lines, set_quiet as be_quiet};
