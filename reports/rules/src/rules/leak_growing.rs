//! `leak-growing`: a place holds more and more memory.
//!
//! ## What it reports
//! An allocation site whose live bytes rose from epoch to epoch, with the first quarter
//! left out as warm-up: eight epochs or more, in four of five of which it rose or
//! stayed; a line through them that explains 80 % or more (R²); growth by 1 MiB or more
//! and by half of the initial size; and in the last third growth at least half as fast
//! as in the middle one. Epochs are `aclsan_epoch`, else outermost mstx ranges, else
//! waits for a stream or device (32 or more), else equal parts of a minute or more.
//! With the last two, the blocks must also never have been released: a program may well
//! collect results until its end.
//!
//! Parts of a pool are counted by the call that took them, and growth of the pool's
//! blocks that follows from them is not reported. Where the pool's blocks were never
//! released but the parts were, at the end, the finding is about the parts that grew.
//!
//! The leak of the same site is its consequence; it becomes an error if that is one.
//!
//! ## Why it matters
//! A container that is emptied only at the end is no leak at the end, but crashes a
//! service that runs for weeks.
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
//! ## How to fix it
//! Release what an epoch no longer needs, or give the container a limit. `aclsan diff
//! --from START --to END` shows what grew between two epochs.
//!
//! ## What it cannot see
//! A cache that would stop growing after the run; a leak of fewer bytes, or one in
//! fewer steps. The finding says how sure it is: confidence is low below 12 steps or R²
//! 0.9, high from 24 steps and R² 0.97 on if the program named the epochs and no step
//! went down, else medium.
//!
//! Source: aclsan's own record of live bytes by allocation site (any CANN); the
//! thresholds are aclsan's, set so that a warm-up or a bounded cache stays silent.

use crate::api::block::Block;
use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::pool_label;
use crate::evidence::trend::{Growth, Trend};

/// `leak-growing`.
pub static RULE: Rule = Rule {
    name: "leak-growing",
    severity: Severity::Warning,
    summary: "a place holds more and more memory",
    is_live: false,
    source: include_str!("leak_growing.rs"),
};

/// The least growth that is reported, in bytes.
const LEAST: u64 = 1 << 20;

/// Live bytes of one site over time.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Bytes, sample by sample.
    pub samples: &'a [u64],
    /// What an epoch is.
    pub epoch: &'static str,
    /// The length of an epoch, if it is a time.
    pub epoch_ns: Option<u64>,
    /// Number of epochs.
    pub seen: u64,
    /// Epochs between two samples.
    pub stride: u64,
    /// Whether the program named the epochs.
    pub is_named: bool,
}

/// Checks one site; `block` is one that is or was allocated there. For epochs that the program did not name, `is_kept`
/// must say that the blocks were never released.
pub fn check(block: &Block, series: &Series, is_kept: bool) -> Option<Finding> {
    if !series.is_named && !is_kept {
        return None;
    }
    let trend = Trend::of(series.samples)?;
    if trend.grown < LEAST || trend.last < trend.first.saturating_mul(3) / 2 || !trend.is_steady() {
        return None;
    }
    let stride = series.stride.max(1);
    let growth = Growth {
        epoch: series.epoch,
        epoch_ns: series.epoch_ns,
        seen: series.seen,
        skipped: trend.skipped * stride,
        stride,
        samples: trend.steps,
        rises: trend.rises,
        falls: trend.falls,
        first_bytes: trend.first,
        last_bytes: trend.last,
        slope_bytes: (trend.slope.max(0.0) / stride as f64) as u64,
        fit_percent: (trend.fit * 100.0) as u64,
        confidence: trend.confidence(series.is_named),
    };
    let message = format!(
        "live memory grew from {} to {} over {}",
        bytes(growth.first_bytes),
        bytes(growth.last_bytes),
        plural(growth.samples * stride, series.epoch),
    );
    let length = growth
        .epoch_ns
        .map_or(String::new(), |ns| format!(" of {} ms", ns / 1_000_000));
    let release = block.release();
    let mut finding = Finding::new(&RULE, block.site, message)
        .of(block)
        .detail(format!(
            "about {} a {}{length}; the first {} of {} are left out as warm-up",
            bytes(growth.slope_bytes),
            series.epoch,
            growth.skipped,
            plural(growth.seen, series.epoch),
        ))
        .detail(confidence(&growth))
        .advise(
            "keeps every block until it is released",
            format!("release with `{release}` what an epoch no longer needs, or give the container a limit"),
        );
    finding.growth = Some(Box::new(growth));
    Some(finding)
}

/// As [`check`], for the parts that one call takes from the pool `name`.
pub fn check_sub_blocks(
    part: &Block,
    series: &Series,
    is_kept: bool,
    name: &str,
) -> Option<Finding> {
    let finding = check(part, series, is_kept)?;
    let finding = finding.detail(format!("sub-blocks of {}", pool_label(name)));
    Some(finding.advise(
        "keeps the memory as long as the pool does",
        "return to the pool what an epoch no longer needs, or give the container a limit",
    ))
}

/// A word, and the numbers that it comes from.
fn confidence(growth: &Growth) -> String {
    let samples = match growth.stride {
        1 => plural(growth.samples, growth.epoch),
        stride => format!(
            "{} samples, {} apart",
            growth.samples,
            plural(stride, growth.epoch)
        ),
    };
    format!(
        "confidence: {} (R² is {}.{:02}; of {samples}, {} rose and {} fell)",
        growth.confidence.name(),
        growth.fit_percent / 100,
        growth.fit_percent % 100,
        growth.rises,
        growth.falls,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    const MIB: u64 = 1 << 20;

    fn steps(samples: &[u64]) -> Series<'_> {
        Series {
            samples,
            epoch: "step",
            epoch_ns: None,
            seen: samples.len() as u64,
            stride: 1,
            is_named: true,
        }
    }

    fn judged(samples: &[u64]) -> Option<Finding> {
        check(&device_block(0x1000, MIB), &steps(samples), false)
    }

    #[test]
    fn a_mebibyte_a_step_is_reported_with_its_slope_and_its_fit() {
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
                "about 1048576 bytes a step; the first 3 of 12 steps are left out as warm-up",
                "confidence: low (R² is 1.00; of 8 steps, 8 rose and 0 fell)"
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
    fn samples_that_are_apart_are_counted_in_epochs() {
        // 40 samples every 16 steps, 4 MiB each: 10 are warm-up, 160 steps; from 44 to 160 MiB in 29 samples, 464 steps.
        let samples: Vec<u64> = (1..=40).map(|n| n * 4 * MIB).collect();
        let series = Series {
            seen: 633,
            stride: 16,
            ..steps(&samples)
        };
        let found = check(&device_block(0x1000, MIB), &series, false).unwrap();
        assert_eq!(
            found.message,
            "live memory grew from 46137344 bytes to 167772160 bytes over 464 steps"
        );
        assert_eq!(
            found.details,
            [
                "about 262144 bytes a step; the first 160 of 633 steps are left out as warm-up",
                "confidence: high (R² is 1.00; of 29 samples, 16 steps apart, 29 rose and 0 fell)"
            ]
        );
    }

    #[test]
    fn unnamed_epochs_need_blocks_that_stayed() {
        let samples: Vec<u64> = (1..=12).map(|n| n * MIB).collect();
        let series = Series {
            epoch: "wait",
            is_named: false,
            ..steps(&samples)
        };
        let block = device_block(0x1000, MIB);
        assert_eq!(check(&block, &series, false), None);
        assert!(check(&block, &series, true).is_some());
    }
}
