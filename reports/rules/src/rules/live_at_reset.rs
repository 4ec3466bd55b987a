//! `live-at-reset`: a reset dropped blocks of a device that is used again.
//!
//! ## What it reports
//! A device block that was live when the last reset of its device dropped it, once the
//! process sets the same device again. Shows where the device was set again, the reset
//! and the allocation.
//!
//! ## Why it matters
//! The memory is not lost, but every pointer to it is dangling, and the program
//! continues. It will use or release such a pointer, unless it relies on the reset in
//! place of the releases.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtResetDevice(0);
//! aclrtSetDevice(0);   // live-at-reset
//! ```
//!
//! ## How to fix it
//! Release blocks before the device's last reset, or reset once, at the end.
//!
//! ## What it cannot see
//! Whether the program still has the pointer. Blocks live at the process's final reset
//! are a `leak` instead, never both. Pinned host memory survives resets.
//!
//! Source: AscendCL API reference, `aclrtResetDevice`; the drop: source of runtime
//! 681ef761 and driver ef377e95 (CANN 9.2).

use crate::api::block::Block;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `live-at-reset`.
pub static RULE: Rule = Rule {
    name: "live-at-reset",
    severity: Severity::Warning,
    summary: "a reset dropped blocks of a device that is used again",
    is_live: true,
    source: include_str!("live_at_reset.rs"),
};

/// Checks a block that `reset` dropped, now that its device is set again at `set_again`.
pub fn check(block: &Block, reset: CallSiteId, set_again: CallSiteId) -> Option<Finding> {
    if block.family().is_host() {
        return None;
    }
    let message = format!(
        "a block of {} from `{}` was live when its device was reset, and the device is set again",
        bytes(block.size),
        block.function.name
    );
    Some(
        Finding::new(&RULE, set_again, message)
            .on(block.address, block, 0)
            .after(Earlier::Reset, reset)
            .advise(
                "took the block back at the reset",
                format!("release it with `{}` before the reset", block.release()),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn a_dropped_device_block_is_reported_with_all_three_stacks() {
        let found = check(&device_block(0x1000, 64), RESET_SITE, HERE).unwrap();
        assert_eq!(found.here, HERE);
        assert_eq!(
            found.earlier,
            [
                (Earlier::Reset, RESET_SITE),
                (Earlier::Allocated, ALLOCATION_SITE)
            ]
        );
    }

    #[test]
    fn pinned_memory_survives_and_is_silent() {
        let pinned = block("aclrtMallocHost", 0x1000, 64);
        assert_eq!(check(&pinned, RESET_SITE, HERE), None);
    }
}
