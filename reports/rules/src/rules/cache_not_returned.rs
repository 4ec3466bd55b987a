//! `cache-not-returned`: a pool kept memory that it did not use.
//!
//! ## What it reports
//! Blocks that were live at the end and belong to a pool that says that nothing of them
//! is in use: the cache of a framework's allocator, or the program's own. One note for
//! each pool, with its name, the bytes, and the call that returns them. Pools are known
//! if they are reported, by `aclsan.h` or through mstx. A block with parts that are
//! still in use is not in the note: those parts are a `leak`, each with its own stack.
//! PyTorch's cache of page-locked memory (`pin_memory`) reports nothing: it is known by
//! the library that allocates, and its blocks are a note whether tensors use them or not.
//!
//! ## Why it matters
//! It is no mistake of the program: whoever allocates through a cache expects it to keep
//! memory. Other processes on the device cannot use what it keeps.
//!
//! ## Example
//! ```c
//! aclsan_pool_alloc(cache, segment, 512);
//! aclsan_pool_free(cache, segment);
//! return 0;   // cache-not-returned: the segment is live
//! ```
//!
//! ## How to fix it
//! Nothing, if the process ends anyway. To return the memory earlier, call what the
//! note names: `torch_npu.npu.empty_cache()`, `mindspore.runtime.empty_cache()`, or the
//! release function once the program's own pool is destroyed.
//!
//! ## What it cannot see
//! Pools that nobody reports: their blocks are leaks. Whether a part is in use is what
//! the pool says. A block of which a pool covers less than half is judged as any other
//! block. A pool that was destroyed keeps nothing: what it had is a `leak`, and so is a
//! segment of which `leak_scan=1` finds no pointer, as the pool itself lost it.
//!
//! Source: documentation of torch_npu (`torch_npu.npu.empty_cache`) and MindSpore
//! (`mindspore.runtime.empty_cache`); names of their pools in mstx: torch_npu 2.7 to
//! 2.8, MindSpore 2.10 (any CANN).

use crate::api::block::Block;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::pool_label;
use aclsan_log::CallSiteId;

/// `cache-not-returned`.
pub static RULE: Rule = Rule {
    name: "cache-not-returned",
    severity: Severity::Note,
    summary: "a pool kept memory that it did not use",
    is_live: false,
    source: include_str!("cache_not_returned.rs"),
};

/// Checks `count` blocks of the pool `name`, `total` bytes in all, with nothing in use; `block` is the first of them,
/// `reset` the reset that reclaimed them.
pub fn check(
    block: &Block,
    (count, total): (u64, u64),
    reset: Option<CallSiteId>,
    name: &str,
) -> Option<Finding> {
    let pool = pool_label(name);
    let message = match count {
        0 => return None,
        1 => format!(
            "{pool} kept 1 block, {}, and used nothing of it",
            bytes(total)
        ),
        _ => format!(
            "{pool} kept {}, {} in all, and used nothing of them",
            plural(count, "block"),
            bytes(total)
        ),
    };
    let instead = match returns(name) {
        Some(call) => format!("to return it earlier, call `{call}`"),
        None => format!(
            "to return it earlier, let the pool release what it does not use with `{}`",
            block.release()
        ),
    };
    Some(finding(block, message, instead, reset))
}

/// Checks `count` blocks, `total` bytes in all, that an allocator of a framework keeps for its next requests; parts of them
/// may be in use, which nobody reports.
pub fn check_allocator(
    block: &Block,
    (count, total): (u64, u64),
    reset: Option<CallSiteId>,
    allocator: &str,
) -> Option<Finding> {
    let (blocks, total) = (plural(count, "block"), bytes(total));
    let message = match count {
        0 => return None,
        1 => format!("`{allocator}` kept {blocks}, {total}, for its next requests"),
        _ => format!("`{allocator}` kept {blocks}, {total} in all, for its next requests"),
    };
    let instead = match returns(allocator) {
        Some(call) => format!("to return what is not in use earlier, call `{call}`"),
        None => format!(
            "to return it earlier, release it with `{}`",
            block.release()
        ),
    };
    Some(finding(block, message, instead, reset))
}

fn finding(block: &Block, message: String, instead: String, reset: Option<CallSiteId>) -> Finding {
    let runtime = match reset {
        Some(_) => "reclaimed the memory by the reset",
        None => "keeps the memory until the process ends",
    };
    let finding = Finding::new(&RULE, block.site, message)
        .of(block)
        .advise(runtime, instead);
    match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    }
}

/// The call that makes a framework's pool return what it does not use.
fn returns(pool: &str) -> Option<&'static str> {
    match pool {
        "ptaCaching" | "ptaWorkspace" | "msleaks" => Some("torch_npu.npu.empty_cache()"),
        "CachingHostAllocator" => Some("torch_npu.npu.host_empty_cache()"),
        "mindsporeMemPool" => Some("mindspore.runtime.empty_cache()"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn kept(count: u64, reset: Option<CallSiteId>, name: &str) -> Option<Finding> {
        check(&device_block(0x1000, 64), (count, count * 64), reset, name)
    }

    #[test]
    fn a_frameworks_pool_is_named_with_the_call_that_empties_it() {
        let found = kept(3, None, "ptaCaching").unwrap();
        assert_eq!(
            found.message,
            "pool `ptaCaching` kept 3 blocks, 192 bytes in all, and used nothing of them"
        );
        assert!(found.instead.contains("`torch_npu.npu.empty_cache()`"));
        assert_eq!(found.severity, Severity::Note);
    }

    #[test]
    fn the_programs_own_pool_releases_with_the_function_of_the_blocks_family() {
        let found = kept(1, Some(RESET_SITE), "arena").unwrap();
        assert!(found.instead.contains("`aclrtFree`"));
        assert_eq!(found.earlier, [(Earlier::Reset, RESET_SITE)]);
    }

    #[test]
    fn an_allocator_is_named_with_the_call_that_returns_what_is_not_in_use() {
        let found = check_allocator(
            &device_block(0x1000, 64),
            (2, 128),
            None,
            "CachingHostAllocator",
        );
        let found = found.unwrap();
        assert_eq!(
            found.message,
            "`CachingHostAllocator` kept 2 blocks, 128 bytes in all, for its next requests"
        );
        assert!(found.instead.contains("`torch_npu.npu.host_empty_cache()`"));
        assert_eq!(found.severity, Severity::Note);
    }

    #[test]
    fn no_blocks_are_no_cache() {
        assert_eq!(kept(0, None, "arena"), None);
    }
}
