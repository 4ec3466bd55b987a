//! `leak-reachable`: blocks were never released, but are still known.
//!
//! ## What it reports
//! Blocks that were live when the process ended and that it could still reach: a
//! pointer was stored in a global variable, on a stack, or in an object on the heap
//! that can be reached itself. Requires `leak_scan=1`; without it such blocks are a
//! `leak`, as are those that only a lost object points to. A pointer to any byte of
//! the block or the object counts, since both are subdivided. What was allocated once
//! and never released, as the only block of its site or before the program's first
//! epoch, is a note: a cache for the life of the process. Of a block that a pool
//! divides, the parts that are still in use are reported; for them, a pointer to any
//! byte of the block counts.
//!
//! ## Why it matters
//! The program could still release them, and mostly means to: the cleanup is not called
//! at the end. If the same code runs again in one process, it is a leak.
//!
//! ## Example
//! ```c
//! static void *weights;
//! aclrtMalloc(&weights, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
//! return 0;   // leak-reachable
//! ```
//!
//! ## How to fix it
//! Call the cleanup at the end, or release the block where the last pointer to it is
//! given up. If it is meant to live as long as the process, suppress it.
//!
//! ## What it cannot see
//! Whether a word that looks like a pointer is one: a number, or leftovers on a stack,
//! can make a lost block look reachable, never the reverse. Which objects are lost is
//! known of glibc's `malloc` alone; memory of jemalloc, tcmalloc, mimalloc and of
//! Python's own arenas counts as reachable, and the report says how many blocks are
//! found only there. Registers of a thread that blocks all signals or does not run, and
//! of all threads if every real-time signal has a handler: then no block is called
//! lost, and the report says why. Pointers that are stored unaligned, encoded, on a
//! device, in pinned memory that the kernel will not read, in memory that may not be
//! read (`PROT_NONE`) or belongs to a file and may not be written. The runtime's own
//! records of its blocks are left out as far as it takes them from `malloc` during a
//! call; a driver that keeps them elsewhere makes all its blocks look reachable.
//!
//! Source: LeakSanitizer's classes of leaks; AscendCL API reference, `aclrtMalloc` (any
//! CANN); the thresholds are aclsan's.

use crate::api::block::Block;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::reachability;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::{CallSiteId, Mapping};

/// `leak-reachable`.
pub static RULE: Rule = Rule {
    name: "leak-reachable",
    severity: Severity::Warning,
    summary: "blocks were never released, but are still known",
    is_live: false,
    source: include_str!("leak_reachable.rs"),
};

/// Checks `count` blocks of one site, `total` bytes in all, each with a stored pointer; the pointer to the first one is
/// in `mapping`. `is_cache` says that they were allocated once and kept.
pub fn check(
    block: &Block,
    (count, total): (u64, u64),
    reset: Option<CallSiteId>,
    mapping: Mapping,
    is_cache: bool,
) -> Option<Finding> {
    let (blocks, verb) = match count {
        0 => return None,
        1 => (format!("1 block, {},", bytes(total)), "was"),
        _ => (
            format!("{}, {} in all,", plural(count, "block"), bytes(total)),
            "were",
        ),
    };
    let end = match is_cache {
        true => "made once and kept to the end",
        false => "never released, but could still be",
    };
    let place = reachability::place(mapping);
    let storage = match count {
        1 => format!("a pointer to it is stored in {place}"),
        _ => format!("pointers to all of them are stored, to the first in {place}"),
    };
    let runtime = match (reset, count) {
        (Some(_), 1) => "reclaimed it by the reset",
        (Some(_), _) => "reclaimed them by the reset",
        (None, 1) => "keeps it until the process ends",
        (None, _) => "keeps them until the process ends",
    };
    let release = block.release();
    let instead = match is_cache {
        true => format!(
            "nothing, if it is a cache for the life of the process; else release with `{release}` at its end"
        ),
        false => format!(
            "release with `{release}` where the pointer is given up, before the device's last reset"
        ),
    };
    let finding = Finding::new(&RULE, block.site, format!("{blocks} {verb} {end}"))
        .of(block)
        .detail(storage)
        .advise(runtime, instead);
    let finding = match is_cache {
        true => finding.severity(Severity::Note),
        false => finding,
    };
    Some(match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    })
}

/// Checks `count` parts of blocks of the pool `name`, as [`leak::check_sub_blocks`](super::leak::check_sub_blocks) does;
/// there are pointers to the blocks.
pub fn check_sub_blocks(
    part: &Block,
    (count, total): (u64, u64),
    reset: Option<CallSiteId>,
    mapping: Mapping,
    name: &str,
) -> Option<Finding> {
    let message = super::leak::sub_blocks(count, total, name)?;
    let place = reachability::place(mapping);
    let runtime = match reset {
        Some(_) => "reclaimed the memory by the reset",
        None => "keeps the memory until the process ends",
    };
    let finding = Finding::new(&RULE, part.site, message)
        .of(part)
        .detail(format!("a pointer into the block is stored in {place}"))
        .advise(runtime, super::leak::RETURN);
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
    fn where_the_pointer_is_stored_is_reported() {
        let block = device_block(0x1000, 64);
        let found = check(&block, (1, 64), None, Mapping::Image, false).unwrap();
        assert_eq!(
            found.message,
            "1 block, 64 bytes, was never released, but could still be"
        );
        assert_eq!(
            found.details,
            ["a pointer to it is stored in a global variable"]
        );
        assert_eq!(found.severity, Severity::Warning);
        let plural = check(&block, (3, 192), Some(RESET_SITE), Mapping::Heap, false).unwrap();
        assert_eq!(
            plural.details,
            ["pointers to all of them are stored, to the first in the heap"]
        );
        assert_eq!(plural.earlier, [(Earlier::Reset, RESET_SITE)]);
    }

    #[test]
    fn a_cache_is_a_note_and_nothing_is_nothing() {
        let block = device_block(0x1000, 64);
        let found = check(&block, (1, 64), None, Mapping::Heap, true).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(
            found.message,
            "1 block, 64 bytes, was made once and kept to the end"
        );
        assert_eq!(check(&block, (0, 0), None, Mapping::Heap, false), None);
    }
}
