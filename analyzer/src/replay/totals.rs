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
    pub fn add(&mut self, held: &LiveBlock) {
        self.add_counted(held.blocks(), held.bytes);
    }

    /// One more block, which counts as `blocks` and `bytes`.
    #[inline(always)]
    pub fn add_counted(&mut self, blocks: u64, bytes: u64) {
        self.blocks += blocks;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// One block less.
    #[inline(always)]
    pub fn subtract_counted(&mut self, blocks: u64, bytes: u64) {
        self.blocks = self.blocks.saturating_sub(blocks);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// One more thing of `bytes`.
    pub fn add_one(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
