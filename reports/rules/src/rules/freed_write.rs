//! `freed-write`: a released block was written while it was held back.
//!
//! ## What it reports
//! With `quarantine_mb=N`, a released block is filled with a pattern and kept from the
//! runtime for a while. Bytes that no longer hold the pattern when the block is really
//! released are reported: the first one, the extent, and a hexdump.
//!
//! ## Why it matters
//! Without the quarantine, those bytes would have belonged to another block by then.
//! They were written by a kernel or a copy that was still queued at the release, or
//! through a pointer that outlived its block.
//!
//! ## Example
//! ```c
//! aclrtLaunchKernel(fill, 8, args, size, stream);   // writes `block`
//! aclrtFree(block);                                 // waits for nothing
//! aclrtResetDevice(0);                              // freed-write: found here
//! ```
//!
//! ## How to fix it
//! Release the block after the last work that writes it: wait for its stream first.
//!
//! ## What it cannot see
//! Who wrote. Writes beyond the block's first 16 MiB, writes of the pattern's own
//! value, reads. Blocks larger than the quarantine, of memory pools, managed memory,
//! and blocks released without a current context or during a capture.
//!
//! Source: the quarantine is aclsan's own. That a release waits for nothing: AscendCL
//! API reference, `aclrtFree`, CANN 9.2.

use crate::api::functions::Call;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::corruption::Corruption;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::pattern;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `freed-write`.
pub static RULE: Rule = Rule {
    name: "freed-write",
    severity: Severity::Error,
    summary: "a released block was written while it was held back",
    is_live: true,
    source: include_str!("freed_write.rs"),
};

/// Checks corruption that `call` found in a block released at `released`.
pub fn check(call: &Call, corruption: &Corruption, released: CallSiteId) -> Option<Finding> {
    let Corruption {
        block,
        offset,
        extent,
        ..
    } = *corruption;
    if extent == 0 || offset >= block.size {
        return None;
    }
    let from = match offset {
        0 => "starting at its start".to_string(),
        _ => format!("starting {} into it", bytes(offset)),
    };
    let message = format!(
        "`{}` found {} overwritten in a released block of {}, {from}",
        call.function.name,
        bytes(extent),
        bytes(block.size)
    );
    let address = block.address.wrapping_add(offset);
    let mut finding = Finding::new(&RULE, call.site, message)
        .on(address, block, offset)
        .after(Earlier::Released, released)
        .advise(
            "would have given the memory to another block",
            format!("release it after the work that uses it: synchronize the stream first, or release with `{}`", call.function.vendor().calls.free_after_device),
        );
    finding.bytes = Some(ByteSpan::run(address, extent));
    finding.details = corruption.hexdump(offset, pattern::fill);
    Some(finding)
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
            slack: 0,
            offset,
            extent,
            found: &ByteSample::new(b"A"),
            witness: &WriterHints::default(),
        };
        check(&call("aclrtResetDevice"), &corruption, RELEASE_SITE)
    }

    #[test]
    fn a_changed_byte_is_reported_with_the_release() {
        let found = found(16, 1).unwrap();
        assert_eq!(
            found.message,
            "`aclrtResetDevice` found 1 byte overwritten in a released block of 1000 bytes, starting 16 bytes into it"
        );
        assert_eq!(found.earlier[0], (Earlier::Released, RELEASE_SITE));
        // byte(16) = 1 + (167 * 16 + 91) mod 254 = 1 + 2763 mod 254 = 1 + 223 = 0xe0, and its complement is 0x1f
        assert_eq!(found.details[1], "      pattern 1f");
    }

    #[test]
    fn nothing_changed_or_not_in_the_block_is_silent() {
        assert_eq!(found(0, 0), None);
        assert_eq!(found(1000, 4), None);
    }
}
