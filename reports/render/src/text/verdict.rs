//! Whether a check passed, and what of its budgets meant nothing.

use std::io;

use super::writer::TextWriter;

/// What a check came to.
#[derive(Clone, Copy, Default)]
pub struct Outcome<'a> {
    /// Why the run failed, if it did.
    pub reasons: &'a [String],
    /// Places with a budget that no call stack has, as they were written: misspelt, or gone.
    pub unmatched: &'a [String],
}

/// Places that are not there, then the verdict and its reasons.
pub fn write(outcome: Outcome, writer: &mut TextWriter) -> io::Result<()> {
    if !outcome.unmatched.is_empty() {
        writer.title("Budgets that bound nothing")?;
    }
    for place in outcome.unmatched {
        writer.line(&format!(
            "  `{place}`: covers no call stack: correct it or take it out"
        ))?;
    }
    if outcome.reasons.is_empty() {
        return writer.title("Check passed");
    }
    writer.title("Check failed")?;
    for reason in outcome.reasons {
        writer.line(&format!("  {reason}"))?;
    }
    Ok(())
}
