//! What is known to be done, kept once for all that know the same.
//!
//! A stream that waits for an event knows what its record knew, and the record what its stream knew: whole clocks, of which nothing but a
//! number or two differs. So a clock lies on a pool, as long as anybody knows it, and what somebody knows beyond it is noted delta.

use super::epoch::{Epoch, MAX_TIMELINES};
use super::vector_clock::VectorClock;

/// Times that are noted delta a clock before a new one is made.
const DELTA_LEN: usize = 8;

const _: () = assert!(MAX_TIMELINES <= 1 << 16);

/// What somebody knows: a clock on the pool, or none, and what is delta it.
#[derive(Clone, Copy, Default)]
pub(super) struct SharedClock {
    base: u32,
    count: u32,
    /// A bit for each timeline that is delta, and maybe for others.
    filter: u64,
    /// Each timeline once.
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

    /// A clock goes as far as what is delta, too.
    fn raise_to(&self, clock: &mut VectorClock) {
        for at in 0..DELTA_LEN.min(self.count as usize) {
            clock.set_max(self.timelines[at].into(), self.times[at]);
        }
    }

    /// Where a timeline is delta, if it is there. The latest one is mostly asked for.
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

/// All clocks. Nobody says when he is done with one: [`ClockPool::collect_unused`] looks who has which.
pub(super) struct ClockPool {
    /// The first one is that of those who know nothing; it stays.
    clocks: Vec<VectorClock>,
    free: Vec<u32>,
    /// Up to how many there are made before those that nobody has are looked for.
    limit: usize,
}

/// The same, at the least.
const MIN_CLOCKS: usize = 128;
/// As many as one call may take: what a timeline or the host learns is a clock or two. And how many are made at once.
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
    /// How far `known` goes on `timeline`.
    #[inline(always)]
    pub fn get(&self, known: &SharedClock, timeline: usize) -> u64 {
        let far = self.clocks[known.base as usize].get(timeline);
        match known.delta_index(timeline) {
            None => far,
            Some(at) => far.max(known.times[at]),
        }
    }

    /// `known` goes as far as `epoch` from here on.
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

    /// `known` goes as far as `other`, too.
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

    /// The same as a clock of its own.
    pub fn to_vector_clock(&self, known: &SharedClock) -> VectorClock {
        let mut clock = self.clocks[known.base as usize].clone();
        known.raise_to(&mut clock);
        clock
    }

    /// What a clock tells.
    pub fn store(&mut self, clock: &VectorClock) -> SharedClock {
        let mut known = SharedClock::default();
        self.make_exclusive(&mut known).assign(clock);
        known
    }

    /// A clock for `known`, which is nobody else's and has all of it.
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

    /// Whether it is time for [`ClockPool::collect_unused`].
    #[inline(always)]
    pub fn is_low(&self) -> bool {
        self.free.len() < CLOCKS_PER_CALL
    }

    /// Sees to it that there are clocks to take. `in_use` is all that anybody knows: the other clocks are free.
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

    /// For how many clocks there is room.
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
        // Two were made, and both took the later over while there was room delta it.
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
        // 101 are in_use: half as many again, and those that were made before they were looked for.
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
        let told = [1, 2, 4, 9].map(|timeline| pool.get(&one, timeline));
        assert_eq!(told, [6, 8, 3, 1]);
        assert_eq!(
            [1, 2, 4, 9].map(|timeline| pool.to_vector_clock(&one).get(timeline)),
            told
        );
        // What the other knows has not changed.
        assert_eq!(
            [1, 2, 4].map(|timeline| pool.get(&other, timeline)),
            [6, 8, 2]
        );
        // Nor has what is known by one that was the same.
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
