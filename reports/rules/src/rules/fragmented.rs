//! `fragmented`: memory was free and could not be had.
//!
//! ## What it reports
//! With proof: an allocation that failed although `aclrtGetMemInfo` reported, less than
//! a second before or after, enough free bytes for it twice over, not counting what
//! this process took in between (a warning). By estimate: at the peak of a page class,
//! 256 MiB or more and a quarter of the span were in holes, `1 - L/F` was above 30 % (F
//! all holes, L the largest), and 30 % of F was in holes too small for the program's
//! own larger requests (a note).
//!
//! ## Why it matters
//! More memory is taken than is used, and the next large request may fail although the
//! free bytes would suffice in total.
//!
//! ## Example
//! ```c
//! aclrtGetMemInfo(ACL_HBM_MEM, &free, &total);                      // 4 GiB free
//! aclrtMalloc(&block, 1ull << 30, ACL_MEM_MALLOC_HUGE_FIRST);       // fragmented: 207001
//! ```
//!
//! ## How to fix it
//! Allocate what lives long before what does not, or from a pool of its own. `aclsan
//! frag` names the blocks that keep holes apart.
//!
//! ## What it cannot see
//! Physical pages, the driver's caches, other processes. Holes between addresses are no
//! proof: pages need not be contiguous. Nor is a failure proof for
//! `ACL_MEM_MALLOC_HUGE_ONLY` and similar policies, for which small free pages are
//! useless: that is a page class that ran out.
//!
//! Source: AscendCL API reference, `aclrtGetMemInfo`; runtime 681ef761 (CANN 9.2),
//! `DevMalloc`; the index is the usual one for allocators.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::waste::{Holes, Refusal};

/// `fragmented`.
pub static RULE: Rule = Rule {
    name: "fragmented",
    severity: Severity::Warning,
    summary: "memory was free and could not be had",
    is_live: false,
    source: include_str!("fragmented.rs"),
};

/// The longest time between the runtime's report and a refusal.
const MAX_APART_NS: u64 = 1_000_000_000;
/// The fewest bytes in holes that are reported.
const FREE_LEAST: u64 = 256 << 20;
/// Shares above which a layout is reported.
const SHARE: f64 = 0.30;

/// Whether the policy accepts one kind of page only.
pub fn is_picky(policy: u32) -> bool {
    matches!(policy & 0xff, 1 | 2 | 4..=7)
}

/// Checks an allocation that was refused for lack of memory.
pub fn check(call: &Call, refusal: &Refusal) -> Option<Finding> {
    let Refusal {
        size, free, taken, ..
    } = *refusal;
    let is_enough = free.saturating_sub(taken) >= size.saturating_mul(2);
    if size == 0 || !is_enough || refusal.apart_ns > MAX_APART_NS || is_picky(call.argument) {
        return None;
    }
    let message = format!(
        "`{}` of {} was refused with {} while {} were free",
        call.function.name,
        bytes(size),
        refusal.status,
        bytes(free)
    );
    let when = match refusal.is_after {
        true => "later",
        false => "before",
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .detail(format!(
                "`{}` said so {} µs {when}; {} were taken in between",
                call.function.vendor().calls.memory_info,
                refusal.apart_ns / 1000,
                bytes(taken)
            ))
            .advise(
                "found no pages for it, or keeps them in a cache",
                "see `aclsan frag` for the blocks that keep holes apart; allocate large blocks first, or from one pool",
            ),
    )
}

/// Checks a layout at its peak; `block` is one that separates the largest holes.
pub fn check_layout(block: &Block, holes: &Holes) -> Option<Finding> {
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let index = 1.0 - share(holes.largest, holes.free);
    let span = holes.pages.saturating_add(holes.free);
    let is_small = holes.free < FREE_LEAST || share(holes.free, span) < 0.25;
    if is_small || index <= SHARE || share(holes.unusable, holes.free) < SHARE {
        return None;
    }
    let message = format!(
        "{} in {} lay between blocks at the peak, the largest of {}: {:.1} % fragmented",
        bytes(holes.free),
        plural(holes.count, "hole"),
        bytes(holes.largest),
        index * 100.0
    );
    let finding = Finding::new(&RULE, block.site, message)
        .of(block)
        .severity(Severity::Note)
        .detail(format!(
            "an estimate from addresses, of pages of {}; {} are in holes too small for {}, which 19 of 20 requests do not exceed",
            bytes(holes.page),
            bytes(holes.unusable),
            bytes(holes.request)
        ));
    Some(finding.advise(
        "can move no block",
        "allocate what lives long before what does not, or from a pool of its own",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    const GIB: u64 = 1 << 30;

    fn refusal() -> Refusal {
        Refusal {
            size: GIB,
            status: 207_001,
            free: 3 * GIB,
            taken: GIB,
            apart_ns: 5_000_000,
            is_after: false,
        }
    }

    #[test]
    fn a_refusal_with_twice_the_bytes_free_is_proof() {
        let found = check(&call("aclrtMalloc"), &refusal()).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(
            found.message,
            "`aclrtMalloc` of 1073741824 bytes was refused with 207001 while 3221225472 bytes were free"
        );
    }

    #[test]
    fn shortage_old_news_and_one_kind_of_page_are_no_proof() {
        let malloc = call("aclrtMalloc");
        let short = Refusal {
            taken: GIB + 1, // 2 GiB less one byte
            ..refusal()
        };
        assert_eq!(check(&malloc, &short), None);
        let old = Refusal {
            apart_ns: 1_000_000_001,
            ..refusal()
        };
        assert_eq!(check(&malloc, &old), None);
        for policy in [1, 2, 4, 5, 6, 7] {
            assert_eq!(check(&call_with("aclrtMalloc", policy), &refusal()), None);
        }
        assert!(check(&call_with("aclrtMalloc", 3), &refusal()).is_some());
    }

    fn holes() -> Holes {
        Holes {
            device: 0,
            page: 2 << 20,
            pages: 512 << 20,
            free: 512 << 20,
            count: 4,
            largest: 128 << 20, // 1 - 128/512 = 75 %
            request: 200 << 20,
            unusable: 512 << 20,
        }
    }

    #[test]
    fn a_layout_is_a_note_and_says_that_it_is_an_estimate() {
        let found = check_layout(&device_block(0x1000, 64), &holes()).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(
            found.message,
            "536870912 bytes in 4 holes lay between blocks at the peak, the largest of 134217728 bytes: 75.0 % fragmented"
        );
        assert!(found.details[0].starts_with("an estimate from addresses"));
    }

    #[test]
    fn little_room_one_large_hole_and_small_requests_are_silent() {
        let block = device_block(0x1000, 64);
        for silent in [
            Holes {
                free: (256 << 20) - 1,
                ..holes()
            },
            Holes {
                pages: 8 << 30,
                ..holes()
            },
            Holes {
                largest: 384 << 20,
                ..holes()
            },
            Holes {
                unusable: 0,
                ..holes()
            },
        ] {
            assert_eq!(check_layout(&block, &silent), None);
        }
    }
}
