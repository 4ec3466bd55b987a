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
    /// Categories with a budget that the program gave to no memory.
    pub unused_categories: &'a [String],
}

/// Budgets without effect, then the verdict and its reasons.
pub fn write(outcome: Outcome, writer: &mut TextWriter) -> io::Result<()> {
    if !outcome.unmatched.is_empty() || !outcome.unused_categories.is_empty() {
        writer.title("Budgets without effect")?;
    }
    for place in outcome.unmatched {
        writer.line(&format!(
            "  `{place}`: matches no call stack: correct or remove it"
        ))?;
    }
    for category in outcome.unused_categories {
        writer.line(&format!(
            "  `{category}`: no memory has this category: annotate the program, or remove the budget"
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
