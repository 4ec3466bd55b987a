//! `page-class-waste`: pages cost much more than was asked for.
//!
//! ## What it reports
//! An allocation site whose live blocks were in huge (2 MiB) or 1 GiB pages of which a
//! quarter or more, and 16 MiB or more, was never asked for. Counted when the loss was
//! highest, without aclsan's own guards. Blocks that do not start at a page of their
//! own are left out: a driver that packs them wastes nothing.
//!
//! ## Why it matters
//! Above 1 MiB a request gets whole huge pages, at or below it pages of 4 KiB, unless
//! the policy says otherwise. 1.1 MiB takes 2 MiB, and so does 1 KiB with
//! `ACL_MEM_MALLOC_HUGE_ONLY`. A thousand such blocks take gigabytes that no other
//! request can get.
//!
//! ## Example
//! ```c
//! for (int i = 0; i < 1000; i++)   // page-class-waste: 1.07 GiB asked for, 1.95 GiB taken
//!     aclrtMalloc(&rows[i], 1100 << 10, ACL_MEM_MALLOC_HUGE_FIRST);
//! ```
//!
//! ## How to fix it
//! Cut small blocks from one large block of the program's own, or ask for them with
//! `ACL_MEM_MALLOC_NORMAL_ONLY`.
//!
//! ## What it cannot see
//! Whether the driver fell back to small pages because no huge ones were left, and what
//! its caches share. This is a note: huge pages may be worth their price in speed.
//!
//! Source: runtime 681ef761 (CANN 9.2), `HUGE_PAGE_MEM_CRITICAL_VALUE` (1 MiB; the
//! documents say 2 MiB) and `npu_driver_mem.cc`.

use crate::api::block::Block;
use crate::api::profile::NORMAL_PAGE;
use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::waste::Paged;

/// `page-class-waste`.
pub static RULE: Rule = Rule {
    name: "page-class-waste",
    severity: Severity::Note,
    summary: "pages cost much more than was asked for",
    is_live: false,
    source: include_str!("page_class_waste.rs"),
};

/// The smallest loss that is reported.
const LEAST: u64 = 16 << 20;

/// Checks what the blocks of one site cost; `block` is one of them.
pub fn check(block: &Block, paged: &Paged) -> Option<Finding> {
    let lost = paged.lost();
    if paged.page <= NORMAL_PAGE || lost < LEAST || lost < paged.pages / 4 {
        return None;
    }
    let message = format!(
        "{} of {} in all took {} of pages of {}: {} were never asked for",
        plural(paged.blocks, "block"),
        bytes(paged.asked),
        bytes(paged.pages),
        bytes(paged.page),
        bytes(lost),
    );
    let (normal, pooled) = (paged.normal, paged.pooled());
    let pool = format!(
        "cut them from one block of the program's own: {} of pages, {} fewer",
        bytes(pooled),
        bytes(paged.pages.saturating_sub(pooled))
    );
    let fewer = bytes(paged.pages.saturating_sub(normal));
    let instead = match (normal < paged.pages, paged.is_forced) {
        (true, true) => format!(
            "ask for small ones with `ACL_MEM_MALLOC_HUGE_FIRST`, above 1 MiB with `ACL_MEM_MALLOC_NORMAL_ONLY` ({} fewer), or {pool}",
            fewer
        ),
        (true, false) => {
            format!("ask for them with `ACL_MEM_MALLOC_NORMAL_ONLY` ({fewer} fewer), or {pool}")
        }
        (false, _) => pool,
    };
    Some(
        Finding::new(&RULE, block.site, message)
            .of(block)
            .advise("gives each block pages of its own", instead),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    const MIB: u64 = 1 << 20;

    /// `blocks` blocks of 1.25 MiB in 2 MiB pages: each loses 0.75 MiB.
    fn cliff(blocks: u64) -> Paged {
        Paged {
            blocks,
            asked: blocks * 5 * MIB / 4,
            pages: blocks * 2 * MIB,
            page: 2 * MIB,
            normal: blocks * (5 * MIB / 4 + 4096),
            is_forced: false,
        }
    }

    #[test]
    fn blocks_just_above_the_step_are_reported_with_what_would_be_saved() {
        // 32 blocks: 40 MiB asked for, 64 MiB taken, 24 MiB lost. In 4 KiB pages 40 MiB and 128 KiB; in one block
        // 40 MiB and 16 KiB, which is 42 MiB of pages.
        let found = check(&device_block(0x1000, 5 * MIB / 4), &cliff(32)).unwrap();
        assert_eq!(
            found.message,
            "32 blocks of 41943040 bytes in all took 67108864 bytes of pages of 2097152 bytes: 25165824 bytes were never asked for"
        );
        assert_eq!(
            found.instead,
            "ask for them with `ACL_MEM_MALLOC_NORMAL_ONLY` (25034752 bytes fewer), or cut them from one block of the program's own: 44040192 bytes of pages, 23068672 bytes fewer"
        );
    }

    #[test]
    fn a_small_loss_a_small_share_and_small_pages_are_silent() {
        let block = device_block(0x1000, 5 * MIB / 4);
        assert_eq!(check(&block, &cliff(21)), None); // 15.75 MiB
        let large = Paged {
            asked: 200 * MIB,
            pages: 256 * MIB, // 56 MiB lost, 22 %
            ..cliff(1)
        };
        assert_eq!(check(&block, &large), None);
        let normal = Paged {
            page: NORMAL_PAGE,
            ..cliff(32)
        };
        assert_eq!(check(&block, &normal), None);
    }
}
