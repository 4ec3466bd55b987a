//! How a pool cuts up its memory: exact, since the pool tells of every sub-block.
//!
//! A pool's memory is the ranges that it was made over, or else the runtime's blocks that hold its sub-blocks. A sub-block takes up what its
//! pool promises (`aclsan_pool_policy`) or the sub-allocation guide asks, but nothing of its neighbour; of mstx, where the size may have been
//! rounded already, its size. What no sub-block takes up is free, and a stretch of it a hole. With F the free bytes and L the largest hole,
//! external fragmentation is `1 − L/F`; internal fragmentation is the share of what is taken up that nobody asked for.

use super::grade::Grade;
use serde::Serialize;

/// A pool's memory at one moment.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct PoolSpace {
    /// Bytes of the pool.
    pub held_bytes: u64,
    /// Live sub-blocks.
    pub live_blocks: u64,
    /// Bytes that were asked for in them.
    pub live_bytes: u64,
    /// Bytes that they take up.
    pub taken_bytes: u64,
    /// Bytes that nothing takes up.
    pub free_bytes: u64,
    /// Stretches of them.
    pub holes: u64,
    /// The longest.
    pub largest_hole_bytes: u64,
    /// `1 − L/F`; 0 without free bytes.
    pub external: f64,
    /// The share of the taken bytes that nobody asked for.
    pub internal: f64,
    /// What the article calls the external one.
    pub external_grade: Grade,
    /// And the internal one.
    pub internal_grade: Grade,
}

impl PoolSpace {
    /// Of ranges `(start, end)` that do not overlap, and of sub-blocks `(start, asked, taken)`, both in the order of their starts.
    pub fn of(
        ranges: impl IntoIterator<Item = (u64, u64)>,
        subs: impl IntoIterator<Item = (u64, u64, u64)>,
    ) -> Self {
        let mut subs = subs.into_iter().peekable();
        let mut space = Self::default();
        for (start, end) in ranges {
            space.held_bytes = space.held_bytes.saturating_add(end.saturating_sub(start));
            let mut free_from = start;
            // What begins outside of every range is not counted.
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

/// Requests between the giving back of memory and its next giving out: 0 for the very next one. At most a 16th too little.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Reuse {
    /// Requests that were given memory at an address that had been given back.
    pub count: u64,
    /// Half of them came no later.
    pub p50: u64,
    /// Nine of ten came no later.
    pub p90: u64,
}

/// Requests of similar size: above half of `up_to_bytes`, and no more.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct PoolClass {
    /// A power of two.
    pub up_to_bytes: u64,
    /// Sub-blocks given out.
    pub requests: u64,
    /// Of these, those for which the runtime was not asked.
    pub hits: u64,
    /// Their share.
    pub hit_rate: f64,
    /// Sub-blocks live at the end.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Bytes asked for in all requests.
    pub asked_bytes: u64,
    /// Bytes that they took up.
    pub taken_bytes: u64,
    /// How soon memory is used again; `None` where it never was.
    pub reuse: Option<Reuse>,
}

/// How a pool serves its requests.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct PoolUse {
    /// At the end.
    pub end: PoolSpace,
    /// When most bytes were given out. Of a pool of more than 1024 live sub-blocks, at most a 64th before that.
    pub peak: PoolSpace,
    /// Requests.
    pub requests: u64,
    /// Those for which the runtime was not asked: all but the first from each block or range.
    pub hits: u64,
    /// Their share; 1 without requests.
    pub hit_rate: f64,
    /// What the article calls it.
    pub hit_grade: Grade,
    /// How soon memory is used again; `None` where it never was.
    pub reuse: Option<Reuse>,
    /// By size, the smallest first.
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
    fn a_sub_block_takes_nothing_of_its_neighbour_nor_of_what_lies_behind_the_range() {
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
