//! `leak`: blocks were never released.
//!
//! ## What it reports
//! Blocks that were live when the process ended, or its device for the last time. One
//! finding for all blocks of one allocation site, with their number and bytes. Says
//! whether the device's final reset reclaimed them and, with `leak_scan=1`, that no
//! pointer to them is left, or only in objects on the heap that are lost themselves;
//! blocks that are still reachable are then `leak-reachable`.
//!
//! ## Why it matters
//! Device memory is small and shared by processes; until the process ends, nobody else
//! can use it. A block lost in each step of a loop ends in 207001, out of memory.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! return 0;   // leak
//! ```
//!
//! ## How to fix it
//! Release each block with its family's function on every way out, also the early ones,
//! before the device's last reset. `aclsan leaks --by epoch` shows which step allocated
//! it.
//!
//! ## What it cannot see
//! Without `leak_scan=1`, whether a pointer to the block is still stored somewhere;
//! with it, what `leak-reachable` lists. Blocks of unknown origin, including the
//! runtime's own. The end of a process that was killed, or left by `_exit` or
//! `quick_exit`, which call no exit handler: its log just stops, like that of a process
//! that is still running, and blocks live at that point are a warning.
//!
//! Source: AscendCL API reference, `aclrtMalloc` ("needs to be freed by the `aclrtFree`
//! call") and similar; what a reset reclaims: source of runtime 681ef761 and driver
//! ef377e95 (CANN 9.2).

use crate::api::block::Block;
use crate::api::functions::Family;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `leak`.
pub static RULE: Rule = Rule {
    name: "leak",
    severity: Severity::Error,
    summary: "blocks were never released",
    is_live: false,
    source: include_str!("leak.rs"),
};

/// Checks `count` blocks of one site, `total` bytes in all; `block` is the first of them, `reset` the reset that
/// reclaimed them.
pub fn check(block: &Block, count: u64, total: u64, reset: Option<CallSiteId>) -> Option<Finding> {
    let message = match count {
        0 => return None,
        1 => format!("1 block, {}, was never released", bytes(total)),
        _ => format!(
            "{}, {} in all, were never released",
            plural(count, "block"),
            bytes(total)
        ),
    };
    let (each, runtime) = match (count, reset) {
        (1, Some(_)) => ("it", "reclaimed it by the reset"),
        (_, Some(_)) => ("each", "reclaimed them by the reset"),
        (1, None) => ("it", "keeps it until the process ends"),
        (_, None) => ("each", "keeps them until the process ends"),
    };
    // No reset of a device reaches the Matrix's memory.
    let until = match block.family() {
        Family::Hiai | Family::HiaiDvpp => "",
        _ => " before the device's last reset",
    };
    let instead = format!("release {each} with `{}`{until}", block.family().release());
    let finding = Finding::new(&RULE, block.site, message)
        .of(block)
        .advise(runtime, instead);
    Some(match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn blocks_are_counted_and_the_release_is_named() {
        let found = check(&block("acldvppMalloc", 0x1000, 4096), 3, 12288, None).unwrap();
        assert_eq!(
            found.message,
            "3 blocks, 12288 bytes in all, were never released"
        );
        assert!(found.instead.contains("`acldvppFree`"));
        assert_eq!((found.here, found.earlier.len()), (ALLOCATION_SITE, 0));
    }

    #[test]
    fn one_block_is_reported_in_the_singular() {
        let found = check(&device_block(0x1000, 1), 1, 1, None).unwrap();
        assert_eq!(found.message, "1 block, 1 byte, was never released");
    }

    #[test]
    fn a_final_reset_is_named_as_what_reclaimed_them() {
        let found = check(&device_block(0x1000, 64), 1, 64, Some(RESET_SITE)).unwrap();
        assert_eq!(found.runtime, "reclaimed it by the reset");
        assert_eq!(found.earlier, [(Earlier::Reset, RESET_SITE)]);
    }

    #[test]
    fn no_blocks_are_no_leak() {
        assert_eq!(check(&device_block(0x1000, 64), 0, 0, None), None);
    }
}
