//! Vector clocks that are stored once and shared by everyone who knows the same.
//!
//! A stream that waits for an event knows what the event's record knew, and the record what its stream knew: whole
//! clocks that differ in one or two times. So the base clock lives in a pool as long as anything refers to it, and each
//! holder keeps a small delta of its own.

use super::epoch::{Epoch, MAX_TIMELINES};
use super::vector_clock::VectorClock;

/// Times in a delta before a new base clock is made.
const DELTA_LEN: usize = 8;

const _: () = assert!(MAX_TIMELINES <= 1 << 16);

/// A base clock in the pool, and a delta on top of it. Base 0 knows nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct SharedClock {
    base: u32,
    count: u32,
    /// A Bloom filter of the timelines in the delta: one bit each, modulo 64.
    filter: u64,
    /// Each timeline at most once.
    timelines: [u16; DELTA_LEN],
    times: [u64; DELTA_LEN],
}

impl SharedClock {
    fn delta(&self) -> impl Iterator<Item = Epoch> {
        let both = self.timelines.iter().zip(&self.times);
        both.take(self.count as usize)
            .map(|(&timeline, &time)| Epoch {
                timeline: timeline.into(),
                time,
            })
    }

    /// Raises `clock` to the times of the delta.
    fn raise_to(&self, clock: &mut VectorClock) {
        for at in 0..DELTA_LEN.min(self.count as usize) {
            clock.set_max(self.timelines[at].into(), self.times[at]);
        }
    }

    /// The position of a timeline in the delta. Searches from the end: mostly the latest is looked up.
    #[inline(always)]
    fn delta_index(&self, timeline: usize) -> Option<usize> {
        if self.filter >> (timeline % 64) & 1 == 0 {
            return None;
        }
        let timelines = &self.timelines[..DELTA_LEN.min(self.count as usize)];
        timelines
            .iter()
            .rposition(|&other| usize::from(other) == timeline)
    }
}

/// All base clocks. Nobody releases one explicitly: [`ClockPool::collect_unused`] finds those in use.
pub(super) struct ClockPool {
    /// Clock 0 knows nothing and is never freed.
    clocks: Vec<VectorClock>,
    free: Vec<u32>,
    /// Number of clocks at which unused ones are collected.
    limit: usize,
}

/// The smallest limit.
const MIN_CLOCKS: usize = 128;
/// Clocks that one call may take: what a timeline or the host acquires is a clock or two. And how many are allocated at
/// once.
const CLOCKS_PER_CALL: usize = 8;
const CLOCKS_PER_GROWTH: usize = 16;

impl Default for ClockPool {
    fn default() -> Self {
        Self {
            clocks: vec![VectorClock::default()],
            free: Vec::new(),
            limit: MIN_CLOCKS,
        }
    }
}

impl ClockPool {
    /// The time of `timeline` in `known`.
    #[inline(always)]
    pub fn get(&self, known: &SharedClock, timeline: usize) -> u64 {
        let far = self.clocks[known.base as usize].get(timeline);
        match known.delta_index(timeline) {
            None => far,
            Some(at) => far.max(known.times[at]),
        }
    }

    /// Raises `known` to include `epoch`.
    #[inline(always)]
    pub fn set_max(&mut self, known: &mut SharedClock, epoch: Epoch) {
        if let Some(at) = known.delta_index(epoch.timeline) {
            known.times[at] = epoch.time.max(known.times[at]);
            return;
        }
        if known.count as usize >= DELTA_LEN {
            self.make_exclusive(known);
        }
        let at = known.count as usize % DELTA_LEN;
        (known.timelines[at], known.times[at]) = (epoch.timeline as u16, epoch.time);
        known.filter |= 1 << (epoch.timeline % 64);
        known.count += 1;
    }

    /// Raises `known` to include `other`.
    #[inline(never)]
    pub fn join(&mut self, known: &mut SharedClock, other: &SharedClock) {
        if other.base == known.base {
            other.delta().for_each(|epoch| self.set_max(known, epoch));
            return;
        }
        let mut clock = std::mem::take(self.make_exclusive(known));
        clock.join(&self.clocks[other.base as usize]);
        other.raise_to(&mut clock);
        self.clocks[known.base as usize] = clock;
    }

    /// `known` as a separate vector clock.
    pub fn to_vector_clock(&self, known: &SharedClock) -> VectorClock {
        let mut clock = self.clocks[known.base as usize].clone();
        known.raise_to(&mut clock);
        clock
    }

    /// Stores a vector clock in the pool.
    pub fn store(&mut self, clock: &VectorClock) -> SharedClock {
        let mut known = SharedClock::default();
        self.make_exclusive(&mut known).assign(clock);
        known
    }

    /// Gives `known` a base clock that nobody shares and that includes its delta.
    #[inline(never)]
    fn make_exclusive(&mut self, known: &mut SharedClock) -> &mut VectorClock {
        let own = self.free.pop().unwrap_or(self.clocks.len() as u32);
        if own as usize == self.clocks.len() {
            self.clocks.push(VectorClock::default());
        }
        let mut clock = std::mem::take(&mut self.clocks[own as usize]);
        clock.assign(&self.clocks[known.base as usize]);
        known.raise_to(&mut clock);
        (known.base, known.count, known.filter) = (own, 0, 0);
        self.clocks[own as usize] = clock;
        &mut self.clocks[own as usize]
    }

    /// Whether [`ClockPool::collect_unused`] is due.
    #[inline(always)]
    pub fn is_low(&self) -> bool {
        self.free.len() < CLOCKS_PER_CALL
    }

    /// Makes sure that free clocks are available. `in_use` yields every shared clock there is; base clocks that none of
    /// them refers to are free.
    #[inline(never)]
    pub fn collect_unused<'a>(&mut self, in_use: impl Iterator<Item = &'a SharedClock>) {
        if self.clocks.len() + CLOCKS_PER_GROWTH > self.limit {
            let mut is_used = vec![false; self.clocks.len()];
            is_used[0] = true;
            in_use.for_each(|known| is_used[known.base as usize] = true);
            let all = (0..).zip(&is_used);
            self.free.clear();
            (self.free).extend(all.filter_map(|(at, is_used)| (!is_used).then_some(at)));
            let count = self.clocks.len() - self.free.len();
            self.limit = MIN_CLOCKS.max(count + count / 2);
        }
        if self.is_low() {
            let before = self.clocks.len();
            self.clocks
                .resize_with(before + CLOCKS_PER_GROWTH, VectorClock::default);
            self.free
                .extend(before as u32..(before + CLOCKS_PER_GROWTH) as u32);
        }
    }

    /// Capacity in clocks.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.clocks.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(timeline: usize, time: u64) -> Epoch {
        Epoch { timeline, time }
    }

    #[test]
    fn who_knows_more_than_is_noted_beside_gets_a_clock_of_its_own() {
        let mut pool = ClockPool::default();
        let (mut one, mut other) = (SharedClock::default(), SharedClock::default());
        for timeline in 0..20 {
            pool.set_max(&mut one, epoch(timeline, 100 + timeline as u64));
            other = one;
            pool.set_max(&mut other, epoch(timeline, 1));
        }
        pool.set_max(&mut other, epoch(3, 500));
        for timeline in 0..20 {
            assert_eq!(pool.get(&one, timeline), 100 + timeline as u64);
        }
        assert_eq!((pool.get(&other, 3), pool.get(&other, 4)), (500, 104));
        assert_eq!((pool.get(&one, 20), pool.get(&one, 3 + 64)), (0, 0));
        // Two clocks were made, and both holders took over the later one while the delta had room.
        assert_eq!((pool.count(), one.base), (2, other.base));
    }

    #[test]
    fn clocks_that_nobody_has_are_used_again_before_there_are_more() {
        let (mut pool, mut kept) = (ClockPool::default(), Vec::new());
        for turn in 0..100_000 {
            let mut known = SharedClock::default();
            for timeline in 0..2 * DELTA_LEN {
                pool.set_max(&mut known, epoch(timeline, turn + timeline as u64));
            }
            if pool.is_low() {
                pool.collect_unused(kept.iter().chain([&known]));
            }
            kept.truncate(100);
            kept.insert(0, known);
            for (back, known) in (0..).zip(&kept) {
                assert_eq!(pool.get(known, 1), turn - back + 1);
            }
        }
        // 101 are in use: half as many again, and those made before the collection.
        assert!(pool.count() < 160, "{}", pool.count());
    }

    #[test]
    fn a_join_takes_the_later_of_each_line() {
        let mut pool = ClockPool::default();
        let (mut clock, mut later) = (VectorClock::default(), VectorClock::default());
        clock.set(1, 5);
        clock.set(2, 7);
        later.set(1, 6);
        later.set(9, 1);
        let (mut one, mut other) = (pool.store(&clock), pool.store(&later));
        pool.set_max(&mut one, epoch(4, 3));
        pool.set_max(&mut other, epoch(4, 2));
        pool.set_max(&mut other, epoch(2, 8));
        pool.join(&mut one, &other);
        let reported = [1, 2, 4, 9].map(|timeline| pool.get(&one, timeline));
        assert_eq!(reported, [6, 8, 3, 1]);
        assert_eq!(
            [1, 2, 4, 9].map(|timeline| pool.to_vector_clock(&one).get(timeline)),
            reported
        );
        // The other operand is unchanged.
        assert_eq!(
            [1, 2, 4].map(|timeline| pool.get(&other, timeline)),
            [6, 8, 2]
        );
        // So is a copy taken before the join.
        let before = other;
        pool.join(&mut other, &one);
        assert_eq!(
            [1, 2, 4].map(|timeline| pool.get(&before, timeline)),
            [6, 8, 2]
        );
        assert_eq!(
            [1, 2, 4].map(|timeline| pool.get(&other, timeline)),
            [6, 8, 3]
        );
    }
}
