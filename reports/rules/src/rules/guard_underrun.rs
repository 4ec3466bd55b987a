//! `guard-underrun`: bytes before a block were written.
//!
//! ## What it reports
//! Bytes directly before a block that no longer hold the pattern that the shim wrote
//! there. Shows the first such byte, the extent, and a hexdump of the bytes found and
//! expected; offsets count up to 0, the block's start.
//!
//! ## Why it matters
//! Without the guard, those bytes would have belonged to another block: its end, or
//! what the program keeps there. Typical causes are a negative index, a pointer that
//! was stepped back too far, a tile that began one row early.
//!
//! Guards before blocks exist with `guard=both` only. They are checked together with
//! those after blocks, see `guard-overrun`. The stack shown is where the corruption was
//! found, not where it was caused.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! fill_kernel(row - 16, 64, stream);
//! aclrtSynchronizeStream(stream);
//! aclrtFree(row);   // guard-underrun: found here
//! ```
//!
//! ## How to fix it
//! Look for a negative index, or an offset that was subtracted twice, in the work
//! queued before.
//!
//! ## What it cannot see
//! Who wrote. Writes more than 4096 bytes before the block, and writes of the pattern's
//! own value. Blocks without a guard before them: those listed under `guard-overrun`,
//! those in 1 GiB pages, and those that the guard would move to larger pages.
//!
//! Source: the guard is aclsan's own. The runtime asks the driver for starts at
//! multiples of 512 (runtime 681ef761, CANN 9.2, `npu_driver_mem.cc`), and keys to
//! blocks require a page's start (its FAQ): guards take whole pages, so that a start
//! keeps its position in one.

use crate::api::functions::Call;
use crate::evidence::corruption::Corruption;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `guard-underrun`.
pub static RULE: Rule = Rule {
    name: "guard-underrun",
    severity: Severity::Error,
    summary: "bytes before a block were written",
    is_live: true,
    source: include_str!("guard_underrun.rs"),
};

/// Checks corruption found by `call`.
pub fn check(call: &Call, corruption: &Corruption) -> Option<Finding> {
    corruption.before().map(|_| {
        corruption.finding(&RULE, call).advise(
            "notices nothing: without the guard the bytes are another block's, or unmapped",
            "look for an index below 0 or a pointer before the start among the work queued before",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::recent_writers::WriterHints;
    use crate::evidence::testing::*;
    use aclsan_log::record::ByteSample;

    fn found(offset: u64, extent: u64) -> Option<Finding> {
        let block = device_block(0x1000, 1000);
        let corruption = Corruption {
            block: &block,
            slack: 56, // rounded to 1024, plus 32
            offset,
            extent,
            found: &ByteSample::new(&[0x41; 8]),
            witness: &WriterHints::default(),
        };
        check(&call("aclrtFree"), &corruption)
    }

    #[test]
    fn bytes_before_the_block_are_reported() {
        let found = found(32u64.wrapping_neg(), 8).unwrap();
        assert_eq!(
            found.message,
            "`aclrtFree` found 8 bytes overwritten before a block of 1000 bytes, \
             starting 32 bytes before its start"
        );
        assert_eq!(found.address, Some(0x1000 - 32));
        assert_eq!(found.details.len(), 2);
    }

    #[test]
    fn the_byte_before_the_start_is_reported() {
        assert!(found(u64::MAX, 1).is_some());
    }

    #[test]
    fn bytes_behind_the_block_are_silent() {
        assert_eq!(found(1000, 8), None);
        assert_eq!(found(1056, 8), None);
    }
}
