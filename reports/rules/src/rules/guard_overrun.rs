//! `guard-overrun`: bytes past the end of a block were written.
//!
//! ## What it reports
//! Bytes past the end of a block, beyond the runtime's own rounding, that no longer
//! hold the pattern that the shim wrote there. Shows the first such byte, the extent,
//! and a hexdump of the bytes found and expected. If the overwritten run begins in the
//! rounding, the bytes there are shown as well.
//!
//! ## Why it matters
//! Without the guard, those bytes would have belonged to another block. They were
//! written by a kernel, an operator or a copy that nobody could check. The stack shown
//! is where the corruption was found, not where it was caused.
//!
//! Guards are checked when a block is released, at the last reset, at `aclFinalize`, at
//! exit, by `aclsan_check()` and at the signal of the option `snapshot_signal`. Those
//! of the four blocks that were named last are also checked after a wait for a stream,
//! a device or an event, the first 16 times and then one time in 16; that of a copy's
//! destination after a blocking copy, always for pinned memory and one time in 16 for
//! device memory. Shown are the calls that named the block since it was last found
//! intact (copies, fills, operators and their tensors), and its nearest live neighbors
//! within 1 MiB.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! fill_kernel(row, 1088, stream);
//! aclrtSynchronizeStream(stream);
//! aclrtFree(row);   // guard-overrun: found here
//! ```
//!
//! ## How to fix it
//! Look for the writer among the work queued before, and allocate the size that it
//! writes: whole vectors, whole tiles, padded rows. `guard=page` stops the writer
//! itself.
//!
//! ## What it cannot see
//! Who wrote. Writes before the block (`guard-underrun`), writes that jump over the
//! guard, and writes of the pattern's own value. Blocks without a guard: those of
//! pools, whose memory belongs to the stream, managed memory, HiAI's, and those
//! allocated during a graph capture. Calls that named the block if 256 others came
//! after them; kernels launched with plain addresses name nothing.
//!
//! Source: the guard is aclsan's own. Sizes and rounding: AscendCL API reference,
//! `aclrtMalloc`, and runtime 681ef761 (CANN 9.2).

use crate::api::functions::Call;
use crate::evidence::corruption::Corruption;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `guard-overrun`.
pub static RULE: Rule = Rule {
    name: "guard-overrun",
    severity: Severity::Error,
    summary: "bytes past the end of a block were written",
    is_live: true,
    source: include_str!("guard_overrun.rs"),
};

/// Checks corruption found by `call`.
pub fn check(call: &Call, corruption: &Corruption) -> Option<Finding> {
    corruption.reaches_guard().then(|| {
        corruption.finding(&RULE, call).advise(
            "notices nothing: without the guard the bytes are another block's, or unmapped",
            "look for the writer among the work queued before, and give it the size it writes",
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
    fn bytes_behind_the_rounding_are_reported() {
        let found = found(1056, 8).unwrap();
        assert_eq!(
            found.message,
            "`aclrtFree` found 8 bytes overwritten past the end of a block of 1000 bytes, \
             starting 56 bytes past its end"
        );
        assert_eq!(found.address, Some(0x1000 + 1056));
        assert_eq!(found.details.len(), 2);
    }

    #[test]
    fn a_run_that_ends_one_byte_behind_the_rounding_is_reported() {
        assert!(found(1000, 57).is_some());
    }

    #[test]
    fn a_run_that_ends_inside_the_rounding_is_silent() {
        assert_eq!(found(1000, 56), None);
    }
}
