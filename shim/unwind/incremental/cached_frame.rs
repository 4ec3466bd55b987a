//! A remembered frame, and what it adds to the hash of its stack.

use crate::frame::Frame;

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
}

impl CachedFrame {
    /// Whether this is `frame`.
    #[inline(always)]
    pub fn is(&self, frame: &Frame) -> bool {
        let fp = (self.frame.fp ^ frame.fp) & self.fp_live;
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }
}

/// What frame number `at`, counted from the outermost, adds to the hash. The hash is a sum, so that a single frame can
/// be replaced. Each position has its own multiplier, so that swapped frames change the sum.
#[inline(always)]
pub fn frame_hash(at: usize, pc: u64) -> u64 {
    let place = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fold(pc ^ 0xa076_1d64_78bd_642f, place ^ 0xe703_7ed1_a0b4_28db)
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}
