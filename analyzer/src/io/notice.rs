//! Messages of the command about its own work, on stderr.

use std::io::Write;

/// Prints one line with the prefix `aclsan:`. An unreadable stderr is no reason to fail.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "aclsan: {line}");
}

/// Prints an error with its causes, on one line.
pub fn fail(error: &anyhow::Error) {
    say(&format!("{error:#}"));
}
