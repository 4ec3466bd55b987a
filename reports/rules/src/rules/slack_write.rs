//! `slack-write`: bytes in the rounding after a block were written.
//!
//! ## What it reports
//! Bytes between the size that the program asked for and the size that the runtime made
//! of it that no longer hold the pattern that the shim wrote there, if nothing beyond
//! them is corrupted.
//!
//! ## Why it matters
//! The runtime rounds a request up to 32 bytes and often adds 32 more, so the write
//! does no harm today. How much it adds depends on the call, the page policy and the
//! SoC: on Ascend 950 the same program overwrites another block.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);   // 1056 bytes are set aside
//! fill_kernel(row, 1024, stream);                       // slack-write
//! ```
//!
//! ## How to fix it
//! Ask for all the bytes that are written. The rounding is the runtime's and differs
//! between SoCs and versions.
//!
//! ## What it cannot see
//! Who wrote. Operators that are entitled to whole 32-byte units and use them. Writes
//! of the pattern's own value.
//!
//! Source: AscendCL API reference, `aclrtMalloc`, CANN 8.0 and 9.2; padding: source of
//! runtime 681ef761 (CANN 9.2).

use crate::api::functions::Call;
use crate::evidence::corruption::Corruption;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `slack-write`.
pub static RULE: Rule = Rule {
    name: "slack-write",
    severity: Severity::Warning,
    summary: "bytes in the rounding after a block were written",
    is_live: true,
    source: include_str!("slack_write.rs"),
};

/// Checks corruption found by `call`.
pub fn check(call: &Call, corruption: &Corruption) -> Option<Finding> {
    (corruption.before().is_none() && !corruption.reaches_guard()).then(|| {
        corruption.finding(&RULE, call).advise(
            "notices nothing: the bytes lie in its own rounding, whose size depends on call and SoC",
            "ask for all the bytes that are written",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::recent_writers::WriterHints;
    use crate::evidence::testing::*;
    use aclsan_log::record::ByteSample;

    fn found(slack: u64, extent: u64) -> Option<Finding> {
        let block = device_block(0x1000, 1000);
        let corruption = Corruption {
            block: &block,
            slack,
            offset: 1000,
            extent,
            found: &ByteSample::new(&[0x41; 8]),
            witness: &WriterHints::default(),
        };
        check(&call("aclrtFree"), &corruption)
    }

    #[test]
    fn bytes_in_the_rounding_are_reported_as_a_warning() {
        let found = found(24, 1).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(
            found.message,
            "`aclrtFree` found 1 byte overwritten past the end of a block of 1000 bytes, starting at its end"
        );
    }

    #[test]
    fn a_run_on_into_the_guard_is_silent() {
        assert_eq!(found(24, 25), None);
    }

    #[test]
    fn without_rounding_nothing_is_reported() {
        assert_eq!(found(0, 1), None);
    }
}
