//! Where a block was when it was looked up ahead of its event.

/// Events looked up together: few enough for what they need to stay in the L1 cache until they are judged.
pub const LOOKAHEAD: usize = 32;

/// Values from here on are cursors instead of slots.
const CURSORS_FROM: u32 = u32::MAX - 2 * LOOKAHEAD as u32;

/// Where a block was when it was looked up ahead of its event. It may have gone since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefetchHint(pub(super) u32);

impl PrefetchHint {
    /// Nothing was looked up, or nothing was found.
    pub const NONE: Self = Self(u32::MAX);

    /// There was no block; the cursor with this number says where it would go.
    pub(super) fn of_cursor(number: usize) -> Self {
        Self(CURSORS_FROM + number as u32)
    }

    pub(super) fn cursor(self) -> Option<usize> {
        Some(self.0.checked_sub(CURSORS_FROM)? as usize)
    }
}
