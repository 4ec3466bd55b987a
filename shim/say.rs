//! The shim's own words on stderr: one `write(2)` a message, each line behind `==PID==`, nothing else ever.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether even warnings are kept back (`quiet=1`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// Keeps everything back from here on.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Something that the user should know about aclsan itself.
pub fn warning(text: &str) {
    lines(&format!("aclsan: {text}"));
}

/// Prints `text`, each line behind the process's mark.
pub fn lines(text: &str) {
    if QUIET.load(Relaxed) {
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
    let mut bytes = out.as_bytes();
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
