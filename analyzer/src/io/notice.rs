//! Messages of the command about its own work, on stderr.

use std::io::Write;

use super::language::localized;

/// Prints one line with the prefix `aclsan:`, in the language of reports. An unreadable stderr is no reason to fail.
pub fn say(line: &str) {
    let lines = line.lines().map(localized);
    let text = lines.collect::<Vec<_>>().join("\n");
    let _ = writeln!(std::io::stderr(), "aclsan: {text}");
}

/// Prints an error with its causes, on one line.
pub fn fail(error: &anyhow::Error) {
    let causes = error.chain().map(|cause| localized(&cause.to_string()));
    say(&causes.collect::<Vec<_>>().join(": "));
}
