//! What guards add to one block.

/// The redzones of a block.
#[derive(Clone, Copy)]
pub struct GuardOverhead {
    /// Alignment padding after the block, from the runtime's rounding.
    pub padding: u64,
    /// Right redzone, after the padding.
    pub right_redzone: u64,
    /// Left redzone.
    pub left_redzone: u64,
    /// Whether the shim placed the block before an unmapped guard page.
    pub has_guard_page: bool,
}

impl GuardOverhead {
    /// Bytes requested in addition to the program's own.
    pub fn added_bytes(&self) -> u64 {
        self.right_redzone.saturating_add(self.left_redzone)
    }
}
