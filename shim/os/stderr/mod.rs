//! The shim's messages on stderr: one message at a time, each line prefixed with `==PID==`.

mod lock; // one thread at a time
mod sigpipe; // signals that a write can raise
mod waiting; // warnings that come up under a lock
mod write; // chunks, and how long to wait for a reader

use crate::cancel::CancelGuard;
use crate::racy_once::RacyOnce;
use lock::OutputLock;
pub use waiting::{take as take_waiting, warn_later};

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How long a stalled reader of stderr is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether even warnings are suppressed (`quiet=1`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// Turns all output off or on.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Whether nothing is printed.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// Gives a line in another language; `None` if it stays.
type Translation = fn(&str) -> Option<String>;

static TRANSLATION: RacyOnce<Translation> = RacyOnce::new();

/// Sets the translation of what is printed, once.
pub fn set_translation(translation: Translation) {
    TRANSLATION.get_or_init(|| translation);
}

/// A line in the language of what is printed.
pub fn localized(line: &str) -> String {
    let translated = TRANSLATION.get().and_then(|translation| translation(line));
    translated.unwrap_or_else(|| line.to_owned())
}

/// Prints a warning about aclsan itself.
pub fn warning(text: &str) {
    print_lines(&format!("aclsan: {text}"));
}

/// Prints `text`, each line prefixed with the process ID.
pub fn print_lines(text: &str) {
    crate::lock::expect_none_held("printing");
    if is_quiet() {
        return;
    }
    let _uncancelled = CancelGuard::enter();
    let _lock = OutputLock::acquire();
    let mut out = String::with_capacity(text.len() + 64);
    if let dropped @ 1.. = write::dropped_messages() {
        let notice = format!(
            "aclsan: {dropped} messages were dropped here: stderr was full and nobody read it for {} s",
            PATIENCE.as_secs()
        );
        prefix_lines(&notice, &mut out);
    }
    prefix_lines(text, &mut out);
    sigpipe::with_sigpipe_blocked(|| write::write(out.as_bytes()));
}

/// Appends the lines of `text` to `out`, each prefixed with the process ID.
fn prefix_lines(text: &str, out: &mut String) {
    let mark = format!("=={}==", std::process::id());
    for line in text.lines() {
        *out += &mark;
        if !line.is_empty() {
            out.push(' ');
            *out += &localized(line);
        }
        out.push('\n');
    }
}

/// Call in a forked child: messages that the parent could not print, or has yet to print, are the parent's.
pub fn forked() {
    write::reset_dropped_messages();
    waiting::take();
}

/// Whether stderr is open. If it is not, the program may reuse its number for a file of its own.
pub fn has_stderr() -> bool {
    // SAFETY: queries a descriptor.
    unsafe { libc::fcntl(2, libc::F_GETFD) != -1 }
}
