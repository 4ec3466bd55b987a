//! Whether a check passed, and which of its budgets had no effect.

use std::io;

use super::writer::TextWriter;

/// The outcome of a check.
#[derive(Clone, Copy, Default)]
pub struct Outcome<'a> {
    /// Why the run failed, if it did.
    pub reasons: &'a [String],
    /// Sites with a budget that are on no call stack, as written: misspelled or removed.
    pub unmatched: &'a [String],
}

/// Sites that do not exist, then the verdict and its reasons.
pub fn write(outcome: Outcome, writer: &mut TextWriter) -> io::Result<()> {
    if !outcome.unmatched.is_empty() {
        writer.title("Budgets without effect")?;
    }
    for place in outcome.unmatched {
        writer.line(&format!(
            "  `{place}`: matches no call stack: correct or remove it"
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
