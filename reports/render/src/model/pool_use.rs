//! How a pool subdivides its memory. The numbers are exact, because every sub-block is reported.
//!
//! A pool's memory is the ranges that it was created with, or else the runtime blocks that contain its sub-blocks. A sub-block occupies what
//! its pool promises (`aclsan_pool_policy`) or what the sub-allocation guide requires, but never bytes of its neighbor; with mstx, where the
//! size may already be rounded, just its size. Bytes that no sub-block occupies are free, and a contiguous range of them is a hole. With F
//! the free bytes and L the largest hole, external fragmentation is `1 − L/F`; internal fragmentation is the share of occupied bytes that
//! nobody requested.

use super::grade::Grade;
use serde::Serialize;

/// A pool's memory at one moment.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct PoolSpace {
    /// Size of the pool.
    pub held_bytes: u64,
    /// Live sub-blocks.
    pub live_blocks: u64,
    /// Bytes requested for them.
    pub live_bytes: u64,
    /// Bytes that they occupy.
    pub taken_bytes: u64,
    /// Bytes that nothing occupies.
    pub free_bytes: u64,
    /// Number of holes.
    pub holes: u64,
    /// The largest hole.
    pub largest_hole_bytes: u64,
    /// `1 − L/F`; 0 without free bytes.
    pub external: f64,
    /// The share of occupied bytes that nobody requested.
    pub internal: f64,
    /// The article's grade for external fragmentation.
    pub external_grade: Grade,
    /// The article's grade for internal fragmentation.
    pub internal_grade: Grade,
}

impl PoolSpace {
    /// From ranges `(start, end)` that do not overlap and sub-blocks `(start, asked, taken)`, both ordered by start.
    pub fn of(
        ranges: impl IntoIterator<Item = (u64, u64)>,
        subs: impl IntoIterator<Item = (u64, u64, u64)>,
    ) -> Self {
        let mut subs = subs.into_iter().peekable();
        let mut space = Self::default();
        for (start, end) in ranges {
            space.held_bytes = space.held_bytes.saturating_add(end.saturating_sub(start));
            let mut free_from = start;
            // A sub-block that starts outside every range is not counted.
            while subs.next_if(|&(at, ..)| at < start).is_some() {}
            while let Some((at, asked, taken)) = subs.next_if(|&(at, ..)| at < end) {
                space.hole(at.saturating_sub(free_from));
                let next = subs.peek().map_or(end, |&(next, ..)| next.min(end));
                let until = at
                    .saturating_add(taken)
                    .min(next.max(at.saturating_add(asked)))
                    .min(end);
                let until = until.max(free_from);
                space.live_blocks += 1;
                space.live_bytes = space.live_bytes.saturating_add(asked);
                space.taken_bytes = space
                    .taken_bytes
                    .saturating_add(until - at.max(free_from).min(until));
                free_from = until;
            }
            space.hole(end.saturating_sub(free_from));
        }
        if space.free_bytes > 0 {
            space.external = 1.0 - space.largest_hole_bytes as f64 / space.free_bytes as f64;
        }
        if space.taken_bytes > space.live_bytes {
            space.internal = 1.0 - space.live_bytes as f64 / space.taken_bytes as f64;
        }
        space.external_grade = Grade::of_fragmentation(space.external);
        space.internal_grade = Grade::of_fragmentation(space.internal);
        space
    }

    fn hole(&mut self, bytes: u64) {
        if bytes > 0 {
            self.holes += 1;
            self.free_bytes = self.free_bytes.saturating_add(bytes);
            self.largest_hole_bytes = self.largest_hole_bytes.max(bytes);
        }
    }
}

/// Requests between the release of memory and its next allocation: 0 for the very next one. Underestimated by at most 1/16.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Reuse {
    /// Requests served with an address that had been released before.
    pub count: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
}

/// Requests of similar size: more than half of `up_to_bytes`, and at most that.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct PoolClass {
    /// A power of two.
    pub up_to_bytes: u64,
    /// Sub-blocks allocated.
    pub requests: u64,
    /// Those served without the runtime.
    pub hits: u64,
    /// Their share.
    pub hit_rate: f64,
    /// Sub-blocks live at the end.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Bytes requested, in total.
    pub asked_bytes: u64,
    /// Bytes occupied by them.
    pub taken_bytes: u64,
    /// How soon memory is reused; `None` if it never was.
    pub reuse: Option<Reuse>,
}

/// How a pool serves its requests.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct PoolUse {
    /// At the end.
    pub end: PoolSpace,
    /// At the peak of allocated bytes. For a pool with more than 1024 live sub-blocks, at most 1/64 below it.
    pub peak: PoolSpace,
    /// Requests.
    pub requests: u64,
    /// Requests served without the runtime: all but the first from each block or range.
    pub hits: u64,
    /// Their share; 1 if there were no requests.
    pub hit_rate: f64,
    /// The article's grade for it.
    pub hit_grade: Grade,
    /// How soon memory is reused; `None` if it never was.
    pub reuse: Option<Reuse>,
    /// By size, smallest first.
    pub classes: Vec<PoolClass>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_what_no_sub_block_takes_up() {
        // 1000 bytes: 0..64 taken, hole 64..128, 128..228 taken for 68, hole 228..1000.
        let space = PoolSpace::of([(0, 1000)], [(0, 60, 64), (128, 68, 100)]);
        assert_eq!(
            (space.held_bytes, space.live_blocks, space.live_bytes),
            (1000, 2, 128)
        );
        assert_eq!((space.taken_bytes, space.free_bytes), (164, 836));
        assert_eq!((space.holes, space.largest_hole_bytes), (2, 772));
        // 1 - 772/836 = 64/836; 1 - 128/164 = 36/164.
        assert!((space.external - 64.0 / 836.0).abs() < 1e-12);
        assert!((space.internal - 36.0 / 164.0).abs() < 1e-12);
        assert_eq!(
            (space.external_grade, space.internal_grade),
            (Grade::Good, Grade::Warning)
        );
    }

    #[test]
    fn a_sub_block_takes_nothing_of_its_neighbor_nor_of_what_is_after_the_range() {
        let space = PoolSpace::of([(0, 128)], [(0, 60, 96), (64, 60, 96)]);
        assert_eq!(
            (space.taken_bytes, space.free_bytes, space.holes),
            (128, 0, 0)
        );
        assert_eq!(space.external, 0.0);
    }

    #[test]
    fn ranges_apart_have_holes_apart() {
        let space = PoolSpace::of(
            [(0, 100), (100, 200)],
            [(50, 100, 100), (170, 10, 10), (500, 9, 9)],
        );
        // 0..50 free; 50..100 taken of the first, which the range cuts; 100..170 and 180..200 free.
        assert_eq!(
            (space.live_blocks, space.free_bytes, space.holes),
            (2, 140, 3)
        );
        assert_eq!(space.largest_hole_bytes, 70);
        assert!((space.external - 0.5).abs() < 1e-12);
    }

    #[test]
    fn shared_bytes_are_counted_once_and_an_empty_pool_is_one_hole() {
        let space = PoolSpace::of([(0, 100)], [(0, 80, 80), (40, 20, 20)]);
        assert_eq!(
            (space.taken_bytes, space.free_bytes, space.holes),
            (80, 20, 1)
        );
        let empty = PoolSpace::of([(0, 100)], []);
        assert_eq!(
            (empty.free_bytes, empty.holes, empty.external),
            (100, 1, 0.0)
        );
        assert_eq!(PoolSpace::of([], []), PoolSpace::default());
    }
}
