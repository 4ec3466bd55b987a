//! What is known to be done, kept once for all that know the same.
//!
//! A stream that waits for an event knows what its record knew, and the record what its stream knew: whole clocks, of which nothing but a
//! number or two differs. So a clock lies on a shelf, as long as anybody knows it, and what somebody knows beyond it is noted beside.

use super::clock::Clock;
use super::lines::Point;

/// Times that are noted beside a clock before a new one is made.
const BESIDE: usize = 4;

/// What somebody knows: a clock on the shelf, or none, and what is beside it. Who has it lets the shelf know when it goes: see
/// [`Shelf::leave`].
#[derive(Default)]
pub(super) struct Known {
    clock: u32,
    count: u32,
    /// Where there is nothing beside, a time is 0, whichever its line.
    lines: [u32; BESIDE],
    times: [u64; BESIDE],
}

impl Known {
    fn beside(&self) -> impl Iterator<Item = Point> {
        (0..BESIDE.min(self.count as usize)).map(|at| Point {
            line: self.lines[at] as usize,
            time: self.times[at],
        })
    }
}

/// A clock, and how many know it.
#[derive(Default)]
struct Kept {
    clock: Clock,
    holders: u32,
}

/// All clocks.
pub(super) struct Shelf {
    /// The first one is that of those who know nothing; it stays.
    kept: Vec<Kept>,
    free: Vec<u32>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self {
            kept: vec![Kept::default()],
            free: Vec::new(),
        }
    }
}

impl Shelf {
    /// How far `known` goes on `line`.
    #[inline(always)]
    pub fn get(&self, known: &Known, line: usize) -> u64 {
        let mut far = self.kept[known.clock as usize].clock.get(line);
        for at in 0..BESIDE {
            if known.lines[at] == line as u32 {
                far = far.max(known.times[at]);
            }
        }
        far
    }

    /// `known` goes as far as `point` from here on.
    #[inline(always)]
    pub fn learn(&mut self, known: &mut Known, point: Point) {
        if known.count as usize >= BESIDE {
            self.settle(known);
        }
        let at = known.count as usize % BESIDE;
        (known.lines[at], known.times[at]) = (point.line as u32, point.time);
        known.count += 1;
    }

    /// `known` is what `other` is, and nothing else.
    #[inline(always)]
    pub fn become_as(&mut self, known: &mut Known, other: &Known) {
        if other.clock != known.clock {
            if other.clock > 0 {
                self.kept[other.clock as usize].holders += 1;
            }
            self.leave(known);
        }
        *known = Known { ..*other };
    }

    /// `known` goes as far as `other`, too.
    #[inline(never)]
    pub fn join(&mut self, known: &mut Known, other: &Known) {
        if other.clock != known.clock {
            let mut clock = std::mem::take(self.settle(known));
            clock.join(&self.kept[other.clock as usize].clock);
            self.kept[known.clock as usize].clock = clock;
        }
        other.beside().for_each(|point| self.learn(known, point));
    }

    /// Nobody has `known` any more.
    #[inline(always)]
    pub fn leave(&mut self, known: &Known) {
        if known.clock > 0 {
            let kept = &mut self.kept[known.clock as usize];
            kept.holders -= 1;
            if kept.holders == 0 {
                self.free.push(known.clock);
            }
        }
    }

    /// The same as a clock of its own.
    pub fn clock(&self, known: &Known) -> Clock {
        let mut clock = self.kept[known.clock as usize].clock.clone();
        for Point { line, time } in known.beside() {
            clock.raise(line, time);
        }
        clock
    }

    /// What a clock tells.
    pub fn put(&mut self, clock: &Clock) -> Known {
        let mut known = Known::default();
        self.settle(&mut known).become_as(clock);
        known
    }

    /// The clock of `known`, which is nobody else's then and has all of it.
    #[inline(never)]
    fn settle(&mut self, known: &mut Known) -> &mut Clock {
        if known.clock == 0 || self.kept[known.clock as usize].holders > 1 {
            let own = self.free.pop().unwrap_or(self.kept.len() as u32);
            if own as usize == self.kept.len() {
                self.kept.push(Kept::default());
            }
            let both = [own as usize, known.clock as usize];
            if let Ok([own, before]) = self.kept.get_disjoint_mut(both) {
                own.clock.become_as(&before.clock);
                own.holders = 1;
            }
            self.leave(known);
            known.clock = own;
        }
        let clock = &mut self.kept[known.clock as usize].clock;
        for Point { line, time } in known.beside() {
            clock.raise(line, time);
        }
        (known.count, known.times) = (0, [0; BESIDE]);
        clock
    }

    /// For how many clocks there is room.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.kept.len() - 1
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
            shelf.become_as(&mut other, &one);
            shelf.learn(&mut other, point(line, 1));
        }
        shelf.learn(&mut other, point(3, 500));
        // Each has one clock at most, and one more was taken by both while there was room beside it.
        assert!(shelf.count() - shelf.free.len() <= 2 && shelf.count() <= 3);
        for line in 0..20 {
            assert_eq!(shelf.get(&one, line), 100 + line as u64);
        }
        assert_eq!((shelf.get(&other, 3), shelf.get(&other, 4)), (500, 104));
        assert_eq!(shelf.get(&one, 20), 0);
        shelf.leave(&one);
        shelf.leave(&other);
        assert_eq!(shelf.free.len(), shelf.count());
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
        shelf.join(&mut other, &one);
        shelf.leave(&other);
        shelf.leave(&one);
        assert_eq!((shelf.free.len(), shelf.count()), (2, 2));
    }
}
