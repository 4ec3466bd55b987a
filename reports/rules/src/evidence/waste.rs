//! What rules about waste judge: sums over one place in the program, which the host has kept.

/// Blocks of one place, when their pages cost most.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Paged {
    /// Live blocks.
    pub blocks: u64,
    /// Bytes that the program asked for.
    pub asked: u64,
    /// Bytes of the pages under them.
    pub pages: u64,
    /// Bytes of one page.
    pub page: u64,
    /// Bytes of normal pages that would hold them.
    pub normal: u64,
    /// Whether every block's policy allows no smaller page.
    pub is_forced: bool,
}

impl Paged {
    /// Bytes that nobody asked for.
    pub fn lost(&self) -> u64 {
        self.pages.saturating_sub(self.asked)
    }

    /// Bytes of pages if one block of the program's own held them all, 512 bytes apart or more.
    pub fn pooled(&self) -> u64 {
        let apart = self.asked.saturating_add(self.blocks.saturating_mul(512));
        apart
            .checked_next_multiple_of(self.page.max(1))
            .unwrap_or(u64::MAX)
    }
}

/// Blocks of one size that one place allocates, releases and allocates again.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Churn {
    /// Allocations of the place.
    pub allocations: u64,
    /// Of these, those for which a block of the same size had just been given back.
    pub again: u64,
    /// That size.
    pub size: u64,
    /// From the first allocation to the last.
    pub span_ns: u64,
    /// Allocations that took 10 µs or more, and what they took together; `None` when nobody took the time.
    pub slow: Option<(u64, u64)>,
}

/// What tells that memory was there, and could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Bytes asked for.
    pub size: u64,
    /// What the runtime returned.
    pub status: i32,
    /// Bytes that the runtime said were free.
    pub free: u64,
    /// Of these, those that it had given out to this process between its word and the refusal.
    pub taken: u64,
    /// How far its word lay from the refusal.
    pub apart_ns: u64,
    /// Whether it came after the refusal.
    pub is_after: bool,
}

/// A layout at its peak: see the report's fragmentation for the meaning of the words.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Holes {
    /// The device.
    pub device: i32,
    /// Bytes of a page.
    pub page: u64,
    /// Bytes of all pages.
    pub pages: u64,
    /// Bytes in holes.
    pub free: u64,
    /// Holes.
    pub count: u64,
    /// The largest.
    pub largest: u64,
    /// What 19 of 20 of the program's requests are no larger than.
    pub request: u64,
    /// Bytes in holes smaller than that.
    pub unusable: u64,
}
