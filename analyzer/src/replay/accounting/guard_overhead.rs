//! What the shim laid around a block.

/// Patterns around a block.
#[derive(Clone, Copy)]
pub struct Laid {
    /// Bytes of the runtime's rounding behind it.
    pub slack: u64,
    /// Bytes of guard behind that.
    pub guard: u64,
    /// Bytes that were asked for before it.
    pub front: u64,
    /// Whether it lies at a place of the shim's choice, before an unmapped page.
    pub is_fenced: bool,
}

impl Laid {
    /// Bytes that were asked for on top of the program's.
    pub fn taken(&self) -> u64 {
        self.guard.saturating_add(self.front)
    }
}
