//! What the shim laid around a block.

/// Patterns around a block.
#[derive(Clone, Copy)]
pub struct GuardOverhead {
    /// Bytes of the runtime's rounding behind it.
    pub padding: u64,
    /// Bytes of guard behind that.
    pub right_redzone: u64,
    /// Bytes that were asked for before it.
    pub left_redzone: u64,
    /// Whether it lies at a place of the shim's choice, before an unmapped page.
    pub has_guard_page: bool,
}

impl GuardOverhead {
    /// Bytes that were asked for on top of the program's.
    pub fn added_bytes(&self) -> u64 {
        self.right_redzone.saturating_add(self.left_redzone)
    }
}
