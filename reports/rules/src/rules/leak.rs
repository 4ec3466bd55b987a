//! `leak`: blocks were never released.
//!
//! ## What it reports
//! Blocks that were live when the process ended, or its device for the last time. One
//! finding for all blocks of one allocation site, with their number and bytes. Says
//! whether the device's final reset reclaimed them and, with `leak_scan=1`, that no
//! pointer to them is left, or only in objects on the heap that are lost themselves,
//! with the size and, for C++ classes with virtual functions, the class of the object;
//! blocks that are still reachable are then `leak-reachable`.
//!
//! Of a block that a pool divides, the parts that are still in use are reported instead,
//! by the call that took them from the pool. For a framework's pool, which reports
//! itself through mstx, they are a warning: what holds a tensor at the end of an
//! interpreter is not up to the program. A pool that uses nothing is
//! `cache-not-returned`.
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
//! with it, what `leak-reachable` lists, and where a lost object was allocated. Blocks
//! of unknown origin, including the runtime's own. The end of a process that was
//! killed, or left by `_exit` or `quick_exit`, which call no exit handler: its log just
//! stops, like that of a process that is still running, and blocks live at that point
//! are a warning.
//!
//! Source: AscendCL API reference, `aclrtMalloc` ("needs to be freed by the `aclrtFree`
//! call") and similar; what a reset reclaims: source of runtime 681ef761 and driver
//! ef377e95 (CANN 9.2).

use crate::api::block::Block;
use crate::api::functions::Family;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::pool_label;
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
    let instead = format!("release {each} with `{}`{until}", block.release());
    let finding = Finding::new(&RULE, block.site, message)
        .of(block)
        .advise(runtime, instead);
    Some(match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    })
}

/// How `count` blocks were lost to which only lost objects point; the first of these has this size and class, as far as they are known.
pub fn lost_with(count: u64, object: Option<(u64, &str)>) -> String {
    const REASON: &str = "only memory from `malloc` that nothing points to still has a pointer";
    let which = match count {
        0 | 1 => "lost with an object",
        _ => "lost with objects, the first",
    };
    match object {
        None => format!("lost with an object: {REASON}"),
        Some((size, "")) => format!("{which} of {}: {REASON}", bytes(size)),
        Some((size, class)) => format!("{which} of class `{class}`, {}: {REASON}", bytes(size)),
    }
}

/// Checks `count` parts of blocks, `total` bytes in all, that one call took from the pool `name`. `part` is the first of
/// them; `is_own` says that the program itself reported the pool.
pub fn check_sub_blocks(
    part: &Block,
    (count, total): (u64, u64),
    reset: Option<CallSiteId>,
    (name, is_own): (&str, bool),
) -> Option<Finding> {
    let message = sub_blocks(count, total, name)?;
    let runtime = match reset {
        Some(_) => "reclaimed the memory by the reset",
        None => "keeps the memory until the process ends",
    };
    let finding = Finding::new(&RULE, part.site, message)
        .of(part)
        .advise(runtime, RETURN);
    let finding = match is_own {
        true => finding,
        false => finding.severity(Severity::Warning),
    };
    Some(match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    })
}

/// What to do about a part of a pool.
pub(super) const RETURN: &str = "return to the pool what is no longer needed";

/// How many parts were not returned; `None` if all were.
pub(super) fn sub_blocks(count: u64, total: u64, pool: &str) -> Option<String> {
    let (pool, total) = (pool_label(pool), bytes(total));
    match count {
        0 => None,
        1 => Some(format!(
            "1 sub-block of {pool}, {total}, was never returned to it"
        )),
        _ => Some(format!(
            "{} of {pool}, {total} in all, were never returned to it",
            plural(count, "sub-block")
        )),
    }
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
    fn a_lost_object_is_described_as_far_as_it_is_known() {
        let starts = |sentence: String, start: &str| {
            let rest = sentence.strip_prefix(start);
            assert!(
                rest.is_some_and(|rest| rest.starts_with(": only memory")),
                "{sentence}"
            );
        };
        starts(lost_with(3, None), "lost with an object");
        starts(
            lost_with(1, Some((40, ""))),
            "lost with an object of 40 bytes",
        );
        let class = "lost with objects, the first of class `Node`, 40 bytes";
        starts(lost_with(2, Some((40, "Node"))), class);
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

    #[test]
    fn parts_of_a_frameworks_pool_are_a_warning_and_of_the_programs_own_an_error() {
        let part = device_block(0x1000, 64);
        let found = check_sub_blocks(&part, (3, 192), None, ("ptaCaching", false)).unwrap();
        assert_eq!(
            found.message,
            "3 sub-blocks of pool `ptaCaching`, 192 bytes in all, were never returned to it"
        );
        assert_eq!(found.severity, Severity::Warning);
        let own = check_sub_blocks(&part, (1, 64), Some(RESET_SITE), ("", true)).unwrap();
        assert_eq!(
            own.message,
            "1 sub-block of a pool without a name, 64 bytes, was never returned to it"
        );
        assert_eq!(own.severity, Severity::Error);
        assert_eq!(own.earlier, [(Earlier::Reset, RESET_SITE)]);
    }
}
