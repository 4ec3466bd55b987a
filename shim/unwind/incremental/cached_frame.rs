//! A remembered frame, and what it adds to the hash of its stack.

use crate::frame::Frame;
use crate::rule::PackedRule;
use crate::rule_cache;

/// A frame of the last stack.
// 64 bytes, so that an index is a shift.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct CachedFrame {
    pub frame: Frame,
    /// What it adds to the hash of the stack.
    pub hash: u64,
    /// All ones if its `fp` is live. If not, `frame` may have an old value.
    pub fp_live: u64,
    /// Its program counter and hash before it was patched to another call site in the same function; 0 if it was not.
    pub other: (u64, u64),
    /// How it was left. 0, which is no rule, for the outermost.
    pub rule: PackedRule,
}

/// A frame of the current walk, and how it was left, as in [`CachedFrame`].
#[derive(Clone, Copy, Default)]
pub struct WalkedFrame {
    pub frame: Frame,
    pub rule: PackedRule,
}

impl CachedFrame {
    /// Whether this is `frame`.
    #[inline(always)]
    pub fn is(&self, frame: &Frame) -> bool {
        let fp = (self.frame.fp ^ frame.fp) & self.fp_live;
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }

    /// Whether it would be left by the same rule if it were at `pc`; `false` also if that rule is not cached.
    #[inline(always)]
    pub fn is_left_likewise(&self, pc: u64) -> bool {
        rule_cache::get(pc).is_some_and(|rule| rule.is_same(self.rule))
    }

    /// All ones if its `fp` is live: it computes its CFA from that, or has not saved what its caller needs.
    #[inline(always)]
    pub fn own_fp_live(&self, is_saved: bool, outer_live: u64) -> u64 {
        self.rule.is_from_fp() | if is_saved { 0 } else { outer_live }
    }

    /// Replaces it by `frame`, which is left in the same way and adds `hash`. Returns by how much the hash of the stack grows.
    #[inline(always)]
    pub fn replace(&mut self, frame: Frame, hash: u64) -> u64 {
        let grows = hash.wrapping_sub(self.hash);
        (self.frame, self.hash, self.other) = (frame, hash, (0, 0));
        grows
    }
}

/// What frame number `at`, counted from the outermost, adds to the hash. The hash is a sum, so that a single frame can
/// be replaced. Each position has its own multiplier, so that swapped frames change the sum.
#[inline(always)]
pub fn frame_hash(at: usize, pc: u64) -> u64 {
    let place = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fold(pc, place.wrapping_add(0xe703_7ed1_a0b4_28db))
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}
