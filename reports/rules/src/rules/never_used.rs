//! `never-used`: no call ever named a block.
//!
//! ## What it reports
//! An allocation site with 1 MiB or more of device memory of which no copy, fill,
//! buffer, tensor, launch or other call ever named a single block. Reported only for
//! processes that reached their end, where other blocks were named, and where no model
//! was run and no kernel launched whose arguments could not be seen.
//!
//! ## Why it matters
//! The memory is taken from everybody, and nothing is in it.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&spare, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST);   // never-used
//! run(model);
//! aclrtFree(spare);
//! ```
//!
//! ## How to fix it
//! Allocate the block where it is first used, or not at all.
//!
//! ## What it cannot see
//! Addresses that are passed in memory: in the arguments of kernels, in structures on
//! the device, in calls of libraries other than AscendCL. Such a block may be a reserve
//! that the program keeps on purpose.
//!
//! Source: aclsan's own record of calls; which calls name memory: AscendCL API
//! reference (CANN 8.1 to 9.2).

use crate::api::block::Block;
use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};

/// `never-used`.
pub static RULE: Rule = Rule {
    name: "never-used",
    severity: Severity::Note,
    summary: "no call ever named a block",
    is_live: false,
    source: include_str!("never_used.rs"),
};

/// The fewest bytes that are reported.
const LEAST: u64 = 1 << 20;

/// Checks `count` blocks of one site that nothing named, `total` bytes in all; `block` is the first of them.
pub fn check(block: &Block, count: u64, total: u64) -> Option<Finding> {
    if count == 0 || total < LEAST || !block.family().is_dropped_by_reset() {
        return None;
    }
    let message = match count {
        1 => format!("a block of {} was never named by any call", bytes(total)),
        _ => format!(
            "{}, {} in all, were never named by any call",
            plural(count, "block"),
            bytes(total)
        ),
    };
    Some(Finding::new(&RULE, block.site, message).of(block).advise(
        "keeps the memory from everybody else",
        "allocate it where it is first used, or not at all",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn a_mebibyte_that_nothing_named_is_reported() {
        let found = check(&device_block(0x1000, 1 << 19), 2, 1 << 20).unwrap();
        assert_eq!(
            found.message,
            "2 blocks, 1048576 bytes in all, were never named by any call"
        );
    }

    #[test]
    fn less_is_silent_and_so_is_memory_that_the_host_can_touch_without_a_call() {
        assert_eq!(
            check(&device_block(0x1000, 1 << 19), 1, (1 << 20) - 1),
            None
        );
        let pinned = block("aclrtMallocHost", 0x1000, 1 << 20);
        assert_eq!(check(&pinned, 1, 1 << 20), None);
    }
}
