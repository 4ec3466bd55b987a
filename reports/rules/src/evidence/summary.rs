//! The last line of a run: what was found, in one sentence that scripts search for. It is never translated.

use crate::evidence::estimate;
use crate::evidence::plural::{bytes, plural};

/// The counts of the last line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Errors, leaks among them.
    pub errors: u64,
    /// Warnings and notes; `None` if only some rules ran.
    pub others: Option<(u64, u64)>,
    /// Bytes and blocks never released.
    pub leaked: (u64, u64),
    /// Releases of pointers whose allocation was not seen.
    pub unknown_pointers: u64,
    /// Events that could not be recorded.
    pub dropped_events: u64,
}

impl Counts {
    /// As [`Self::line`], with what leaked as an estimate: `~64 bytes in ~1 block leaked`.
    pub fn estimated_line(&self) -> String {
        estimate::marked(&self.line())
    }

    /// `SUMMARY: aclsan: 1 error, 0 warnings, 2 notes; 64 bytes in 1 block leaked`, and what is missing, if anything is.
    pub fn line(&self) -> String {
        let mut line = format!("SUMMARY: aclsan: {}", plural(self.errors, "error"));
        if let Some((warnings, notes)) = self.others {
            line += &format!(
                ", {}, {}",
                plural(warnings, "warning"),
                plural(notes, "note")
            );
        }
        let (leaked, blocks) = self.leaked;
        line += &format!("; {} in {} leaked", bytes(leaked), plural(blocks, "block"));
        for (count, what, how) in [
            (self.unknown_pointers, "unknown-origin pointer", ""),
            (self.dropped_events, "event", " dropped"),
        ] {
            if count > 0 {
                line += &format!("; {}{how}", plural(count, what));
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns_and_what_is_missing_is_said() {
        let clean = Counts {
            others: Some((0, 0)),
            ..Counts::default()
        };
        assert_eq!(
            clean.line(),
            "SUMMARY: aclsan: 0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked"
        );
        let one = Counts {
            errors: 1,
            others: Some((1, 1)),
            leaked: (1, 1),
            unknown_pointers: 1,
            dropped_events: 1,
        };
        assert_eq!(
            one.line(),
            "SUMMARY: aclsan: 1 error, 1 warning, 1 note; 1 byte in 1 block leaked; 1 unknown-origin pointer; 1 event dropped"
        );
        let partial = Counts {
            errors: 2,
            leaked: (64, 2),
            ..Counts::default()
        };
        assert_eq!(
            partial.line(),
            "SUMMARY: aclsan: 2 errors; 64 bytes in 2 blocks leaked"
        );
    }
}
