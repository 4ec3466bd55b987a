//! Counts of blocks and bytes.

use aclsan_rules::evidence::estimate::Spread;
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
    /// How far `live` and `peak` may be off.
    pub spread: Spread,
    pub peak_spread: Spread,
}

/// Blocks and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Sum {
    /// One more block.
    #[inline]
    pub fn add(&mut self, held: &LiveBlock) {
        self.blocks += held.blocks();
        self.bytes = self.bytes.saturating_add(held.bytes);
    }

    /// One block less.
    #[inline]
    pub fn subtract(&mut self, held: &LiveBlock) {
        self.blocks = self.blocks.saturating_sub(held.blocks());
        self.bytes = self.bytes.saturating_sub(held.bytes);
    }

    /// One more thing of `bytes`.
    pub fn add_one(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
