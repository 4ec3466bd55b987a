//! A block or a part of a pool that was given a category, and how far calls use it.

/// Memory with a category.
#[derive(Clone, Copy)]
pub struct Given {
    pub category: u8,
    /// Blocks and bytes that count for the category, and the whole range.
    pub blocks: u64,
    pub bytes: u64,
    pub start: u64,
    pub size: u64,
    /// The step in which it was allocated, and the last in which a call named it.
    pub born: u32,
    pub used: u32,
    /// How far the uses of that step came.
    pub end: u64,
    /// How far parts of pools ever came.
    pub parts_end: u64,
}

impl Given {
    /// From its step on.
    pub fn new(category: u8, (start, size): (u64, u64), step: u32) -> Self {
        Self {
            category,
            blocks: 1,
            bytes: size,
            start,
            size,
            born: step,
            used: step,
            end: start,
            parts_end: start,
        }
    }

    /// A call of `step` used what is before `end`.
    pub fn name(&mut self, end: u64, step: u32) {
        if self.used < step {
            (self.used, self.end) = (step, self.start);
        }
        self.end = self.end.max(end);
    }

    /// Bytes behind the last use of the step, and behind all parts, weighted as its bytes are.
    pub fn beyond(&self) -> u64 {
        let whole = self.start.saturating_add(self.size);
        let own = whole.saturating_sub(self.end.max(self.parts_end));
        let times = self.bytes.max(self.size);
        let all = u128::from(own) * u128::from(times) / u128::from(self.size.max(1));
        u64::try_from(all).unwrap_or(u64::MAX).min(self.bytes)
    }
}
