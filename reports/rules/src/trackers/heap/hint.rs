//! Where something was when it was looked up beforehand.

/// Events that are worth looking up together: what they need stays in the first cache until they are judged.
pub const LOOKAHEAD: usize = 32;

/// No slots have numbers from here on.
const CURSORS_FROM: u32 = u32::MAX - 2 * LOOKAHEAD as u32;

/// Where something was when it was looked up beforehand: it may have gone since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefetchHint(pub(super) u32);

impl PrefetchHint {
    /// Nobody looked, or there was nothing.
    pub const NONE: Self = Self(u32::MAX);

    /// There was nothing, and where a block will begin is the spot of this number.
    pub(super) fn of_cursor(number: usize) -> Self {
        Self(CURSORS_FROM + number as u32)
    }

    pub(super) fn cursor(self) -> Option<usize> {
        Some(self.0.checked_sub(CURSORS_FROM)? as usize)
    }
}
