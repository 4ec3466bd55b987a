//! `hot-loop-allocation`: the same size is allocated and released again and again.
//!
//! ## What it reports
//! An allocation site that allocated one size 1000 times or more just after a block of
//! that size had been released, at least ten times a second overall, for nine of ten of
//! its allocations. The cost is shown as far as it was measured.
//!
//! ## Why it matters
//! A small allocation takes less than 10 µs if a cache of the driver has it, 10 to 50
//! µs in the usual case, and more if pages must be found and mapped. In a loop that
//! feeds an NPU, this time is missing for launches. A block that is kept costs nothing.
//!
//! ## Example
//! ```c
//! while (next(&batch)) {
//!     aclrtMalloc(&input, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);   // hot-loop-allocation
//!     run(batch, input);
//!     aclrtFree(input);
//! }
//! ```
//!
//! ## How to fix it
//! Allocate the block before the loop, or take it from a pool.
//!
//! ## What it cannot see
//! Whether the time matters: the NPU may be busy meanwhile. Allocations faster than 10
//! µs are not measured individually, so the reported time is a lower bound.
//!
//! Source: the article on operators' workspaces (CANN 8.x: below 10 µs good, 10 to 50
//! usual, above 50 slow); stream-ordered pools are AscendCL's own answer (CANN 9.x).

use crate::api::block::Block;
use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::waste::Churn;

/// `hot-loop-allocation`.
pub static RULE: Rule = Rule {
    name: "hot-loop-allocation",
    severity: Severity::Note,
    summary: "the same size is allocated and released again and again",
    is_live: false,
    source: include_str!("hot_loop_allocation.rs"),
};

/// The fewest repetitions that are reported, and the fewest per second.
const LEAST: u64 = 1000;
const LEAST_A_SECOND: u128 = 10;

/// Checks the repetitions of one site; `block` is one of its blocks.
pub fn check(block: &Block, again: &Churn) -> Option<Finding> {
    let is_rare =
        u128::from(again.again) * 1_000_000_000 < LEAST_A_SECOND * u128::from(again.span_ns);
    let is_other = u128::from(again.again) * 10 < u128::from(again.allocations) * 9;
    if again.again < LEAST || is_rare || is_other {
        return None;
    }
    let message = format!(
        "{} of {} were allocated just after one of that size had been released",
        plural(again.again, "block"),
        bytes(again.size),
    );
    let cost = match again.slow {
        None => String::from("how long its allocations took was not recorded"),
        Some((0, _)) => String::from("each of its allocations took less than 10 µs"),
        Some((count, ns)) => format!(
            "{} took 10 µs or more, {} µs together, which a kept block would save",
            plural(count, "allocation"),
            ns / 1000
        ),
    };
    Some(
        Finding::new(&RULE, block.site, message)
            .of(block)
            .detail(cost)
            .advise(
                "looks for memory at each call",
                "allocate the block before the loop, or take it from a pool",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn again() -> Churn {
        Churn {
            allocations: 1001,
            again: 1000,
            size: 4096,
            span_ns: 100_000_000_000, // 1000 in 100 s: ten a second
            slow: Some((3, 90_500)),
        }
    }

    #[test]
    fn a_loop_is_reported_with_the_time_that_it_took() {
        let found = check(&device_block(0x1000, 4096), &again()).unwrap();
        assert_eq!(
            found.message,
            "1000 blocks of 4096 bytes were allocated just after one of that size had been released"
        );
        assert_eq!(
            found.details,
            ["3 allocations took 10 µs or more, 90 µs together, which a kept block would save"]
        );
    }

    #[test]
    fn few_rare_and_mixed_ones_are_silent() {
        let block = device_block(0x1000, 4096);
        for silent in [
            Churn {
                again: 999,
                ..again()
            },
            Churn {
                span_ns: 100_100_000_000,
                ..again()
            },
            Churn {
                allocations: 1200, // 83 %
                ..again()
            },
        ] {
            assert_eq!(check(&block, &silent), None);
        }
    }
}
