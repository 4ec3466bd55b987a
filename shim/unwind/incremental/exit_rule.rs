//! How the exported function of a hook is left.
//!
//! Each walk starts there. The function always asks at the same program counter, so that one rule, kept beside the hook,
//! saves the look-up.

use crate::frame::Frame;
use crate::rule::{PackedRule, UnwindRule};
use crate::rule_cache;
use crate::step::{CODE, StackRange};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The rule of one exported function, with its program counter above, as in [`rule_cache`]; 0 if it is not known.
pub struct ExitRule(AtomicU64);

impl ExitRule {
    /// An unknown rule.
    pub const fn unknown() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The caller of `leaf`, a running function; `None` if the rule is not known, or `leaf` is not on `stack`.
    #[inline(always)]
    pub fn leave(&self, leaf: &Frame, stack: &StackRange) -> Option<Frame> {
        let word = self.0.load(Relaxed);
        if word >> UnwindRule::BITS != rule_cache::tag(leaf.pc) {
            return None;
        }
        let (from_fp, cfa_offset, fp_offset, ra_offset) = PackedRule(word).offsets()?;
        let base = if from_fp { leaf.fp } else { leaf.sp };
        let sp = base.wrapping_add(cfa_offset);
        let (returned, fp) = stack.saved_pair(
            sp.wrapping_sub(ra_offset),
            (fp_offset != 0).then(|| sp.wrapping_sub(fp_offset)),
        )?;
        Some(Frame {
            pc: returned & CODE,
            sp,
            fp: fp.unwrap_or(leaf.fp),
        })
    }

    /// Keeps the rule at `pc`, which the walk has just used, and which led out of the shim's code. It always will: the shim does not call
    /// its own exports.
    pub fn put(&self, pc: u64) {
        if let Some(rule) = rule_cache::get(pc)
            && let Some((_, cfa_offset, fp_offset, _)) = rule.offsets()
            && fp_offset <= cfa_offset
        // `fp` is within the frame: `leave` reads it unchecked.
        {
            self.0.store(rule.0, Relaxed);
        }
    }
}
