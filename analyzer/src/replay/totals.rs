//! Counts of blocks and bytes.

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
    /// One more block of `bytes`.
    pub fn add(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
