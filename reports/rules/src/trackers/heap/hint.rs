//! Where something was when it was looked up beforehand.

/// Events that are worth looking up together: what they need stays in the first cache until they are judged.
pub const AHEAD: usize = 32;

/// No slots have numbers from here on.
const NO_SLOTS: u32 = u32::MAX - 2 * AHEAD as u32;

/// Where something was when it was looked up beforehand: it may have gone since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint(pub(super) u32);

impl Hint {
    /// Nobody looked, or there was nothing.
    pub const NONE: Self = Self(u32::MAX);

    /// There was nothing, and where a block will begin is the spot of this number.
    pub(super) fn of_spot(number: usize) -> Self {
        Self(NO_SLOTS + number as u32)
    }

    pub(super) fn spot(self) -> Option<usize> {
        Some(self.0.checked_sub(NO_SLOTS)? as usize)
    }
}
