//! Counts of blocks and bytes.

use aclsan_rules::trackers::heap::LiveBlock;

/// Totals of one family.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FamilyTotals {
    /// Blocks allocated.
    pub allocations: u64,
    /// Blocks released.
    pub releases: u64,
    /// Bytes allocated.
    pub allocated: u64,
    /// Bytes live at the end.
    pub live: u64,
    /// Most bytes live at once, and when.
    pub peak: (u64, u64),
}

impl FamilyTotals {
    /// How many bytes more may be live before there are more than ever.
    #[inline(always)]
    pub fn room(&self) -> i64 {
        self.peak.0.wrapping_sub(self.live) as i64
    }
}

/// Blocks and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// How sums change.
pub trait Arithmetic {
    fn sum(a: u64, b: u64) -> u64;
    fn difference(a: u64, b: u64) -> u64;
}

/// Stays in range, whatever a damaged log says.
pub struct Saturating;

/// For sums that are known to stay in range: a third of the instructions.
pub struct InRange;

impl Arithmetic for Saturating {
    #[inline(always)]
    fn sum(a: u64, b: u64) -> u64 {
        a.saturating_add(b)
    }

    #[inline(always)]
    fn difference(a: u64, b: u64) -> u64 {
        a.saturating_sub(b)
    }
}

impl Arithmetic for InRange {
    #[inline(always)]
    fn sum(a: u64, b: u64) -> u64 {
        debug_assert!(a.checked_add(b).is_some());
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn difference(a: u64, b: u64) -> u64 {
        debug_assert!(a >= b);
        a.wrapping_sub(b)
    }
}

impl Sum {
    /// One more block.
    pub fn add(&mut self, held: &LiveBlock) {
        self.add_counted::<Saturating>(held.blocks(), held.bytes);
    }

    /// One more block, which counts as `blocks` and `bytes`.
    #[inline(always)]
    pub fn add_counted<A: Arithmetic>(&mut self, blocks: u64, bytes: u64) {
        self.blocks += blocks;
        self.bytes = A::sum(self.bytes, bytes);
    }

    /// One block less.
    #[inline(always)]
    pub fn subtract_counted<A: Arithmetic>(&mut self, blocks: u64, bytes: u64) {
        self.blocks = A::difference(self.blocks, blocks);
        self.bytes = A::difference(self.bytes, bytes);
    }

    /// One more thing of `bytes`.
    pub fn add_one(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
