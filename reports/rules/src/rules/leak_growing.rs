//! `leak-growing`: a place holds more and more memory.
//!
//! ## What it reports
//! A place whose live bytes rose from epoch to epoch, after the first quarter was left
//! out as warm-up: eight epochs or more, in four of five of which it rose or stayed, a
//! line through them that explains 80 % or more (R²), 1 MiB or more and half as much
//! again as in the beginning, and no slower in the last third than half as fast as in
//! the middle one. Epochs are `aclsan_epoch`, else outermost mstx ranges, else waits for
//! a stream or device (32 or more), else equal parts of a minute or more. With the last
//! two the blocks must also never have been released: a program may well collect results
//! to its end.
//!
//! ## Why it matters
//! A container that is emptied only at the end is no leak at the end, and ends a service
//! that runs for weeks.
//!
//! ## Example
//! ```c
//! for (;;) {
//!     aclsan_epoch("step");
//!     aclrtMalloc(&cache[n++], SIZE, ACL_MEM_MALLOC_HUGE_FIRST);   // leak-growing
//!     step();
//! }
//! ```
//!
//! ## What it cannot see
//! A cache that would stop growing after the run; a leak of fewer bytes, or one that
//! comes in fewer steps. More epochs make it surer: it says in how many it rose.
//!
//! Source: aclsan's own record of live bytes by place (any CANN); the thresholds are
//! aclsan's, set so that a warm-up or a cache with a limit stays silent.

use crate::block::Block;
use crate::catalogue::{Rule, Severity};
use crate::finding::Finding;
use crate::quantity::{bytes, several};
use crate::trend::Trend;

/// `leak-growing`.
pub static RULE: Rule = Rule {
    name: "leak-growing",
    severity: Severity::Warning,
    summary: "a place holds more and more memory",
    is_live: false,
    source: include_str!("leak_growing.rs"),
};

/// Fewest bytes of growth that are told.
const LEAST: u64 = 1 << 20;

/// Judges the live bytes of one place, epoch after epoch; `block` is one that is or was there, `epochs` what they are called. With
/// epochs that the program did not name, `is_kept` must say that the blocks were never released.
pub fn check(
    block: &Block,
    series: &[u64],
    epochs: &str,
    is_named: bool,
    is_kept: bool,
) -> Option<Finding> {
    if !is_named && !is_kept {
        return None;
    }
    let trend = Trend::of(series)?;
    if trend.grown < LEAST || trend.last < trend.first.saturating_mul(3) / 2 || !trend.is_steady() {
        return None;
    }
    let message = format!(
        "live memory grew from {} to {} over {}",
        bytes(trend.first),
        bytes(trend.last),
        several(trend.steps, epochs),
    );
    let release = block.family().release();
    Some(
        Finding::new(&RULE, block.site, message)
            .of(block)
            .detail(format!(
                "about {} each; it rose in {} of them and fell in {}, R² is {:.2}; the first {} are left out as warm-up",
                bytes(trend.slope.max(0.0) as u64),
                trend.rises,
                trend.falls,
                trend.fit,
                several(trend.skipped, epochs),
            ))
            .advise(
                "keeps every block until it is released",
                format!("release with `{release}` what an epoch no longer needs, or give the container a limit"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::*;

    const MIB: u64 = 1 << 20;

    fn judged(series: &[u64]) -> Option<Finding> {
        check(&device_block(0x1000, MIB), series, "step", true, false)
    }

    #[test]
    fn a_mebibyte_a_step_is_told_with_its_slope_and_its_fit() {
        // 12 samples of n MiB: the first 3 are warm-up; from 4 to 12 MiB in 8 steps, a perfect line.
        let series: Vec<u64> = (1..=12).map(|n| n * MIB).collect();
        let found = judged(&series).unwrap();
        assert_eq!(
            found.message,
            "live memory grew from 4194304 bytes to 12582912 bytes over 8 steps"
        );
        assert_eq!(
            found.details,
            [
                "about 1048576 bytes each; it rose in 8 of them and fell in 0, R² is 1.00; the first 3 steps are left out as warm-up"
            ]
        );
    }

    #[test]
    fn a_warm_up_a_full_cache_a_saw_and_a_short_run_are_silent() {
        let warm: Vec<u64> = (1..=24).map(|n: u64| n.min(6) * MIB).collect();
        assert_eq!(judged(&warm), None);
        let full: Vec<u64> = (1..=24).map(|n: u64| n.min(14) * MIB).collect();
        assert_eq!(judged(&full), None);
        let saw: Vec<u64> = (1..=24).map(|n: u64| (n % 4) * 8 * MIB).collect();
        assert_eq!(judged(&saw), None);
        let short: Vec<u64> = (1..=10).map(|n| n * MIB).collect();
        assert_eq!(judged(&short), None);
    }

    #[test]
    fn unnamed_epochs_need_blocks_that_stayed() {
        let series: Vec<u64> = (1..=12).map(|n| n * MIB).collect();
        let block = device_block(0x1000, MIB);
        assert_eq!(check(&block, &series, "wait", false, false), None);
        assert!(check(&block, &series, "wait", false, true).is_some());
    }
}
