//! What is known to be done, kept once for all that know the same.
//!
//! A stream that waits for an event knows what its record knew, and the record what its stream knew: whole clocks, of which nothing but a
//! number or two differs. So a clock lies on a shelf, as long as anybody knows it, and what somebody knows beyond it is noted beside.

use super::epoch::{LINES_MOST, Point};
use super::vector_clock::Clock;

/// Times that are noted beside a clock before a new one is made.
const BESIDE: usize = 8;

const _: () = assert!(LINES_MOST <= 1 << 16);

/// What somebody knows: a clock on the shelf, or none, and what is beside it.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    clock: u32,
    count: u32,
    /// A bit for each line that is beside, and maybe for others.
    marks: u64,
    /// Each line once.
    lines: [u16; BESIDE],
    times: [u64; BESIDE],
}

impl Known {
    fn beside(&self) -> impl Iterator<Item = Point> {
        let both = self.lines.iter().zip(&self.times);
        both.take(self.count as usize).map(|(&line, &time)| Point {
            line: line.into(),
            time,
        })
    }

    /// A clock goes as far as what is beside, too.
    fn raise(&self, clock: &mut Clock) {
        for at in 0..BESIDE.min(self.count as usize) {
            clock.raise(self.lines[at].into(), self.times[at]);
        }
    }

    /// Where a line is beside, if it is there. The latest one is mostly asked for.
    #[inline(always)]
    fn place(&self, line: usize) -> Option<usize> {
        if self.marks >> (line % 64) & 1 == 0 {
            return None;
        }
        let lines = &self.lines[..BESIDE.min(self.count as usize)];
        lines.iter().rposition(|&other| usize::from(other) == line)
    }
}

/// All clocks. Nobody says when he is done with one: [`Shelf::restock`] looks who has which.
pub(super) struct Shelf {
    /// The first one is that of those who know nothing; it stays.
    clocks: Vec<Clock>,
    free: Vec<u32>,
    /// Up to how many there are made before those that nobody has are looked for.
    limit: usize,
}

/// The same, at the least.
const LEAST: usize = 128;
/// As many as one call may take: what a line or the host learns is a clock or two. And how many are made at once.
const SPARE: usize = 8;
const MORE: usize = 16;

impl Default for Shelf {
    fn default() -> Self {
        Self {
            clocks: vec![Clock::default()],
            free: Vec::new(),
            limit: LEAST,
        }
    }
}

impl Shelf {
    /// How far `known` goes on `line`.
    #[inline(always)]
    pub fn get(&self, known: &Known, line: usize) -> u64 {
        let far = self.clocks[known.clock as usize].get(line);
        match known.place(line) {
            None => far,
            Some(at) => far.max(known.times[at]),
        }
    }

    /// `known` goes as far as `point` from here on.
    #[inline(always)]
    pub fn learn(&mut self, known: &mut Known, point: Point) {
        if let Some(at) = known.place(point.line) {
            known.times[at] = point.time.max(known.times[at]);
            return;
        }
        if known.count as usize >= BESIDE {
            self.settle(known);
        }
        let at = known.count as usize % BESIDE;
        (known.lines[at], known.times[at]) = (point.line as u16, point.time);
        known.marks |= 1 << (point.line % 64);
        known.count += 1;
    }

    /// `known` goes as far as `other`, too.
    #[inline(never)]
    pub fn join(&mut self, known: &mut Known, other: &Known) {
        if other.clock == known.clock {
            other.beside().for_each(|point| self.learn(known, point));
            return;
        }
        let mut clock = std::mem::take(self.settle(known));
        clock.join(&self.clocks[other.clock as usize]);
        other.raise(&mut clock);
        self.clocks[known.clock as usize] = clock;
    }

    /// The same as a clock of its own.
    pub fn clock(&self, known: &Known) -> Clock {
        let mut clock = self.clocks[known.clock as usize].clone();
        known.raise(&mut clock);
        clock
    }

    /// What a clock tells.
    pub fn put(&mut self, clock: &Clock) -> Known {
        let mut known = Known::default();
        self.settle(&mut known).become_as(clock);
        known
    }

    /// A clock for `known`, which is nobody else's and has all of it.
    #[inline(never)]
    fn settle(&mut self, known: &mut Known) -> &mut Clock {
        let own = self.free.pop().unwrap_or(self.clocks.len() as u32);
        if own as usize == self.clocks.len() {
            self.clocks.push(Clock::default());
        }
        let mut clock = std::mem::take(&mut self.clocks[own as usize]);
        clock.become_as(&self.clocks[known.clock as usize]);
        known.raise(&mut clock);
        (known.clock, known.count, known.marks) = (own, 0, 0);
        self.clocks[own as usize] = clock;
        &mut self.clocks[own as usize]
    }

    /// Whether it is time for [`Shelf::restock`].
    #[inline(always)]
    pub fn is_low(&self) -> bool {
        self.free.len() < SPARE
    }

    /// Sees to it that there are clocks to take. `held` is all that anybody knows: the other clocks are free.
    #[inline(never)]
    pub fn restock<'a>(&mut self, held: impl Iterator<Item = &'a Known>) {
        if self.clocks.len() + MORE > self.limit {
            let mut is_held = vec![false; self.clocks.len()];
            is_held[0] = true;
            held.for_each(|known| is_held[known.clock as usize] = true);
            let all = (0..).zip(&is_held);
            self.free.clear();
            (self.free).extend(all.filter_map(|(at, is_held)| (!is_held).then_some(at)));
            let count = self.clocks.len() - self.free.len();
            self.limit = LEAST.max(count + count / 2);
        }
        if self.is_low() {
            let before = self.clocks.len();
            self.clocks.resize_with(before + MORE, Clock::default);
            self.free.extend(before as u32..(before + MORE) as u32);
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

    fn point(line: usize, time: u64) -> Point {
        Point { line, time }
    }

    #[test]
    fn who_knows_more_than_is_noted_beside_gets_a_clock_of_its_own() {
        let mut shelf = Shelf::default();
        let (mut one, mut other) = (Known::default(), Known::default());
        for line in 0..20 {
            shelf.learn(&mut one, point(line, 100 + line as u64));
            other = one;
            shelf.learn(&mut other, point(line, 1));
        }
        shelf.learn(&mut other, point(3, 500));
        for line in 0..20 {
            assert_eq!(shelf.get(&one, line), 100 + line as u64);
        }
        assert_eq!((shelf.get(&other, 3), shelf.get(&other, 4)), (500, 104));
        assert_eq!((shelf.get(&one, 20), shelf.get(&one, 3 + 64)), (0, 0));
        // Two were made, and both took the later over while there was room beside it.
        assert_eq!((shelf.count(), one.clock), (2, other.clock));
    }

    #[test]
    fn clocks_that_nobody_has_are_used_again_before_there_are_more() {
        let (mut shelf, mut kept) = (Shelf::default(), Vec::new());
        for turn in 0..100_000 {
            let mut known = Known::default();
            for line in 0..2 * BESIDE {
                shelf.learn(&mut known, point(line, turn + line as u64));
            }
            if shelf.is_low() {
                shelf.restock(kept.iter().chain([&known]));
            }
            kept.truncate(100);
            kept.insert(0, known);
            for (back, known) in (0..).zip(&kept) {
                assert_eq!(shelf.get(known, 1), turn - back + 1);
            }
        }
        // 101 are held: half as many again, and those that were made before they were looked for.
        assert!(shelf.count() < 160, "{}", shelf.count());
    }

    #[test]
    fn a_join_takes_the_later_of_each_line() {
        let mut shelf = Shelf::default();
        let (mut clock, mut later) = (Clock::default(), Clock::default());
        clock.set(1, 5);
        clock.set(2, 7);
        later.set(1, 6);
        later.set(9, 1);
        let (mut one, mut other) = (shelf.put(&clock), shelf.put(&later));
        shelf.learn(&mut one, point(4, 3));
        shelf.learn(&mut other, point(4, 2));
        shelf.learn(&mut other, point(2, 8));
        shelf.join(&mut one, &other);
        let told = [1, 2, 4, 9].map(|line| shelf.get(&one, line));
        assert_eq!(told, [6, 8, 3, 1]);
        assert_eq!([1, 2, 4, 9].map(|line| shelf.clock(&one).get(line)), told);
        // What the other knows has not changed.
        assert_eq!([1, 2, 4].map(|line| shelf.get(&other, line)), [6, 8, 2]);
        // Nor has what is known by one that was the same.
        let before = other;
        shelf.join(&mut other, &one);
        assert_eq!([1, 2, 4].map(|line| shelf.get(&before, line)), [6, 8, 2]);
        assert_eq!([1, 2, 4].map(|line| shelf.get(&other, line)), [6, 8, 3]);
    }
}
