//! `uninitialised-read`: a copy to the host returned bytes that nobody wrote.
//!
//! ## What it reports
//! With `fill=on`, new blocks carry a pattern that depends on the position in the
//! block. A blocking copy to the host that succeeds and returns the pattern, at its
//! position, is reported: if all of at least 16 bytes copied hold it, or if 512
//! consecutive bytes do.
//!
//! ## Why it matters
//! New device memory holds what the last block left there, often zeros, so the program
//! works until it doesn't. Writes by kernels are not seen, but the bytes themselves
//! show that there were none.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&out, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtMemcpy(host, 4096, out, 4096, kind);   // uninitialised-read: nothing ran
//! ```
//!
//! ## How to fix it
//! Copy after the work that writes the block, or clear it first with `aclrtMemset`.
//! Check the length: often only the tail was never written.
//!
//! ## What it cannot see
//! Shorter gaps: rows and tensors are padded to 32, 128 or 512 bytes, and copying the
//! padding along is legal. Bytes beyond a block's first 16 MiB and a copy's first 1
//! MiB. Queued copies, copies of rows, reads by kernels, bytes that were moved
//! elsewhere on the device first. Pools and managed memory, which are not filled.
//!
//! Source: AscendCL API reference, `aclrtMalloc`: the memory is not cleared
//! (CANN 9.2).

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `uninitialised-read`.
pub static RULE: Rule = Rule {
    name: "uninitialised-read",
    severity: Severity::Warning,
    summary: "a copy to the host returned bytes that nobody wrote",
    is_live: true,
    source: include_str!("uninitialised_read.rs"),
};

/// Checks a copy to the host that returned `extent` bytes from `offset` on as the shim had filled them.
pub fn check(call: &Call, block: &Block, offset: u64, extent: u64) -> Option<Finding> {
    if extent == 0 || offset >= block.size {
        return None;
    }
    let from = match offset {
        0 => "starting at its start".to_string(),
        _ => format!("starting {} into it", bytes(offset)),
    };
    let message = format!(
        "`{}` returned {} of a block of {} that nobody wrote, {from}",
        call.function.name,
        bytes(extent),
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(block.address.wrapping_add(offset), block, offset)
            .advise(
                "returns whatever the memory held before",
                format!(
                    "copy after the work that writes the block, or clear it with `{}`",
                    call.function.vendor().calls.fill
                ),
            ),
    )
}

/// The first run in `bytes` that is reported: its position in the block and its length. `bytes` were copied from
/// `offset` bytes after a filled block's start; `is_whole` if they are everything that was copied.
pub fn run(bytes: &[u8], offset: u64, is_whole: bool) -> Option<(u64, u64)> {
    let is_filled = |i: usize| bytes[i] == crate::evidence::pattern::fill(offset + i as u64);
    let mut start = 0;
    for i in 0..=bytes.len() {
        if i < bytes.len() && is_filled(i) {
            continue;
        }
        let length = i - start;
        let is_all = is_whole && length == bytes.len() && length >= WHOLE_LEAST;
        if length >= RUN_LEAST || is_all {
            return Some((offset + start as u64, length as u64));
        }
        start = i + 1;
    }
    None
}

/// The fewest bytes of a copy that is reported as a whole.
const WHOLE_LEAST: usize = 16;
/// The fewest consecutive bytes: more than the paddings of rows, tensors and files.
const RUN_LEAST: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::pattern::fill;
    use crate::evidence::testing::*;

    fn filled(range: std::ops::Range<u64>) -> Vec<u8> {
        range.map(fill).collect()
    }

    #[test]
    fn unwritten_bytes_are_reported_with_their_place() {
        let block = device_block(0x1000, 4096);
        let found = check(&call("aclrtMemcpy"), &block, 512, 1024).unwrap();
        assert_eq!(
            found.message,
            "`aclrtMemcpy` returned 1024 bytes of a block of 4096 bytes that nobody wrote, starting 512 bytes into it"
        );
        assert_eq!(found.address, Some(0x1200));
    }

    #[test]
    fn a_whole_copy_of_16_bytes_or_512_in_a_row_is_a_run() {
        assert_eq!(run(&filled(100..116), 100, true), Some((100, 16)));
        let mut bytes = vec![0; 64];
        bytes.extend(filled(64..576)); // 512 bytes, 64 after the start
        bytes.extend([0; 10]);
        assert_eq!(run(&bytes, 0, true), Some((64, 512)));
    }

    #[test]
    fn shorter_runs_and_moved_ones_are_silent() {
        assert_eq!(run(&filled(100..115), 100, true), None);
        assert_eq!(run(&filled(100..116), 100, false), None);
        let mut bytes = vec![0; 64];
        bytes.extend(filled(64..575));
        assert_eq!(run(&bytes, 0, true), None);
        assert_eq!(run(&filled(1..1025), 0, true), None);
    }

    #[test]
    fn a_place_that_is_not_in_the_block_is_silent() {
        assert_eq!(
            check(&call("aclrtMemcpy"), &device_block(0x1000, 64), 64, 1),
            None
        );
    }
}
