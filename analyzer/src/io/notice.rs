//! What the command says on stderr about its own doings.

use std::io::Write;

/// One line, marked as ours. A stderr that nobody reads is no reason to fail.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "aclsan: {line}");
}

/// An error and what it rests on, in one line.
pub fn fail(error: &anyhow::Error) {
    say(&format!("{error:#}"));
}
