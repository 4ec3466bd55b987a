//! Bytes around a block, or in a freed one, that differ from the pattern written there.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::pattern;
use crate::evidence::plural::bytes;
use crate::evidence::recent_writers::WriterHints;
use crate::evidence::rule::Rule;
use aclsan_log::record::ByteSample;

/// Bytes per row of the hexdump.
const ROW: usize = 16;

/// The largest distance of a run before a block; larger values are offsets after a start.
const MAX_BEFORE: u64 = 1 << 20;

/// A corrupted run of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Corruption<'a> {
    /// The block that it is after or before.
    pub block: &'a Block,
    /// Bytes after the block that are the runtime's rounding; the rest is redzone.
    pub slack: u64,
    /// Where the run begins, in bytes after the block's start. Before the start it counts down from 2^64.
    pub offset: u64,
    /// From the run's first differing byte to its last.
    pub extent: u64,
    /// What its first bytes are now.
    pub found: &'a ByteSample,
    /// Hints to the writer.
    pub witness: &'a WriterHints,
}

impl Corruption<'_> {
    /// Bytes from the run's first to the block's start, if it begins before that.
    pub fn before(&self) -> Option<u64> {
        let before = self.offset.wrapping_neg();
        (before != 0 && before <= MAX_BEFORE).then_some(before)
    }

    /// Whether any of it is beyond the runtime's rounding. Its last byte always differs.
    pub fn reaches_guard(&self) -> bool {
        if self.before().is_some() {
            return false;
        }
        let end = u128::from(self.offset) + u128::from(self.extent);
        end > u128::from(self.block.size) + u128::from(self.slack)
    }

    /// The finding of `rule`, with the hexdump. The advice is the rule's.
    pub fn finding(&self, rule: &'static Rule, call: &Call) -> Finding {
        let past_end = self.past_end();
        let (side, from) = match (self.before(), past_end) {
            (Some(before), _) => (
                "before",
                format!("starting {} before its start", bytes(before)),
            ),
            (None, 0) => ("past the end of", "starting at its end".to_string()),
            (None, _) => (
                "past the end of",
                format!("starting {} past its end", bytes(past_end)),
            ),
        };
        let message = format!(
            "`{}` found {} overwritten {side} a block of {}, {from}",
            call.function.name,
            bytes(self.extent),
            bytes(self.block.size),
        );
        let address = self.block.address.wrapping_add(self.offset);
        let mut finding =
            Finding::new(rule, call.site, message).on(address, self.block, self.offset);
        finding.bytes = Some(ByteSpan::run(address, self.extent));
        for &site in self.witness.neighbour_named.iter().rev() {
            finding = finding.after(Earlier::NeighborNamed, site);
        }
        for &site in self.witness.named.iter().rev() {
            finding = finding.after(Earlier::Named, site);
        }
        finding.details = match self.before() {
            Some(before) => self.hexdump(0u64.wrapping_sub(before), |i| {
                pattern::before(!i) // -1 is the first before the block
            }),
            None => self.hexdump(past_end, pattern::byte),
        };
        finding.details.extend(self.witness.neighbors(self.block));
        finding
    }

    /// Bytes between the block's end and the run.
    fn past_end(&self) -> u64 {
        self.offset.saturating_sub(self.block.size)
    }

    /// The bytes found and expected, row by row; a row of a near offset fits 80 columns with its indentation. The run is at `position`; `pattern` returns what was written there.
    pub(crate) fn hexdump(&self, position: u64, pattern: impl Fn(u64) -> u8) -> Vec<String> {
        let found = self.found.bytes();
        let shown = found
            .len()
            .min(usize::try_from(self.extent).unwrap_or(usize::MAX));
        let mut lines = Vec::new();
        for (row, found) in found[..shown].chunks(ROW).enumerate() {
            let first = position.wrapping_add((row * ROW) as u64);
            let expected = (0..found.len() as u64).map(|i| pattern(first.wrapping_add(i)));
            let characters: String = found.iter().copied().map(printable).collect();
            lines.push(format!(
                "{:<5} found   {:<47} {characters}",
                format!("{:+}", first as i64),
                hex(found.iter().copied())
            ));
            lines.push(format!("{:<5} pattern {}", "", hex(expected)));
        }
        let rest = self.extent - shown as u64;
        if rest > 0 {
            lines.push(format!("and {} more", bytes(rest)));
        }
        lines
    }
}

fn hex(bytes: impl Iterator<Item = u8>) -> String {
    let pairs: Vec<_> = bytes.map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

fn printable(byte: u8) -> char {
    match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn the_hexdump_shows_rows_of_what_was_found_and_what_was_laid() {
        let block = device_block(0x1000, 100);
        let corruption = Corruption {
            block: &block,
            slack: 28,
            offset: 104,
            extent: 18,
            found: &ByteSample::new(b"0123456789abcdef\0\xff"),
            witness: &WriterHints::default(),
        };
        let pattern = |range: std::ops::Range<u64>| hex(range.map(pattern::byte));
        assert_eq!(
            corruption.hexdump(corruption.past_end(), pattern::byte),
            [
                "+4    found   30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 0123456789abcdef"
                    .to_string(),
                format!("      pattern {}", pattern(4..20)),
                format!("+20   found   {:<47} ..", "00 ff"),
                format!("      pattern {}", pattern(20..22)),
            ]
        );
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let block = device_block(0x1000, 128);
        let corruption = Corruption {
            block: &block,
            slack: 0,
            offset: 128,
            extent: 1000,
            found: &ByteSample::new(&[0x41; 64]),
            witness: &WriterHints::default(),
        };
        let lines = corruption.hexdump(corruption.past_end(), pattern::byte);
        assert_eq!((lines.len(), lines[8].as_str()), (9, "and 936 bytes more"));
    }

    #[test]
    fn a_run_before_the_block_is_counted_backwards() {
        let block = device_block(0x1000, 128);
        let corruption = Corruption {
            block: &block,
            slack: 0,
            offset: 18u64.wrapping_neg(),
            extent: 18,
            found: &ByteSample::new(&[0x41; 18]),
            witness: &WriterHints::default(),
        };
        assert_eq!(
            (corruption.before(), corruption.reaches_guard()),
            (Some(18), false)
        );
        let finding = corruption.finding(&crate::rules::guard_underrun::RULE, &call("aclrtFree"));
        // The last row has the two bytes directly before the block: the second and the first of the pattern.
        let last = format!(
            "      pattern {:02x} {:02x}",
            pattern::byte(1),
            pattern::byte(0)
        );
        assert!(finding.details[0].starts_with("-18   found   41 41"));
        assert!(finding.details[2].starts_with("-2    found   41 41 "));
        assert_eq!(finding.details[3], last);
        assert_eq!(finding.address, Some(0x1000 - 18));
    }

    #[test]
    fn bytes_after_the_run_are_not_dumped() {
        let block = device_block(0x1000, 128);
        let corruption = Corruption {
            block: &block,
            slack: 0,
            offset: 128,
            extent: 1,
            found: &ByteSample::new(&[0x41; 64]),
            witness: &WriterHints::default(),
        };
        assert!(corruption.hexdump(corruption.past_end(), pattern::byte)[0].ends_with("  A"));
    }
}
