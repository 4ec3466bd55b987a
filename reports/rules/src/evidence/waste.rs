//! What rules about waste judge: sums per allocation site, kept by the host.

/// Blocks of one allocation site, when their pages cost most.
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
    /// Bytes of normal pages that would suffice.
    pub normal: u64,
    /// Whether the policy of every block rules out smaller pages.
    pub is_forced: bool,
}

impl Paged {
    /// Bytes that nobody asked for.
    pub fn lost(&self) -> u64 {
        self.pages.saturating_sub(self.asked)
    }

    /// Bytes of pages if a single block held them all, at least 512 bytes apart.
    pub fn pooled(&self) -> u64 {
        let apart = self.asked.saturating_add(self.blocks.saturating_mul(512));
        apart
            .checked_next_multiple_of(self.page.max(1))
            .unwrap_or(u64::MAX)
    }
}

/// Blocks of one size that one site allocates, releases and allocates again.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Churn {
    /// Allocations of the site.
    pub allocations: u64,
    /// Allocations for which a block of the same size had just been released.
    pub again: u64,
    /// That size.
    pub size: u64,
    /// From the first allocation to the last.
    pub span_ns: u64,
    /// Allocations that took 10 µs or more, and their total time; `None` if time was not measured.
    pub slow: Option<(u64, u64)>,
}

/// Evidence that memory was free but could not be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Bytes requested.
    pub size: u64,
    /// What the runtime returned.
    pub status: i32,
    /// Bytes that the runtime reported as free.
    pub free: u64,
    /// Bytes of these that it gave to this process between its report and the refusal.
    pub taken: u64,
    /// Time between its report and the refusal.
    pub apart_ns: u64,
    /// Whether the report came after the refusal.
    pub is_after: bool,
}

/// A layout at its peak. For the terms see fragmentation in the report.
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
    /// Number of holes.
    pub count: u64,
    /// The largest hole.
    pub largest: u64,
    /// The 95th percentile of the sizes that the program requests.
    pub request: u64,
    /// Bytes in holes smaller than that.
    pub unusable: u64,
}
