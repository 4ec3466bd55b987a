//! Where blocks begin, in order, and the slots that they have.
//!
//! Addresses lie in runs, each in order, as the runs are: a new one is found its place in by two short searches, and moves few others. Runs
//! are short, since their memory is waited for, and the first addresses of all of them are at hand.

use std::array;

/// Addresses of a run at most, and those of two neighbours from which on they stay two.
const RUN: usize = 32;
const FEW: usize = RUN / 2;
/// Addresses of a cache line.
const LINE: usize = 8;

const _: () = assert!(RUN.is_multiple_of(LINE));

/// The addresses.
#[derive(Default)]
pub struct Starts {
    /// The first address of each run: none is empty.
    firsts: Vec<u64>,
    /// Where each run lies.
    order: Vec<u32>,
    runs: Vec<Run>,
    /// Places of runs that are no more.
    free: Vec<u32>,
}

/// Addresses in order; a search reads no slots. Behind the last address come the highest numbers.
#[repr(align(64))]
struct Run {
    starts: [u64; RUN],
    slots: [u32; RUN],
    len: usize,
}

/// Where an address would be, the slot of the one before, and the one behind.
pub struct Gap {
    run: usize,
    place: usize,
    pub before: Option<u32>,
    pub behind: Option<u64>,
}

impl Run {
    const EMPTY: Self = Self {
        starts: [u64::MAX; RUN],
        slots: [0; RUN],
        len: 0,
    };

    #[inline]
    fn starts(&self) -> &[u64] {
        &self.starts[..self.len]
    }

    fn slots(&self) -> &[u32] {
        &self.slots[..self.len]
    }

    /// How many lie before `end`: the first of each cache line, then those of one line. Nothing that is read waits for what was read before.
    #[inline]
    fn before(&self, end: u64) -> usize {
        let below = |starts: &[u64]| starts.iter().filter(|start| **start < end).count();
        let firsts: [u64; RUN / LINE - 1] = array::from_fn(|at| self.starts[(at + 1) * LINE]);
        let line = below(&firsts) * LINE;
        line + below(&self.starts[line..line + LINE])
    }

    /// There is room.
    #[inline]
    fn insert(&mut self, place: usize, start: u64, slot: u32) {
        self.starts.copy_within(place..self.len, place + 1);
        self.slots.copy_within(place..self.len, place + 1);
        (self.starts[place], self.slots[place]) = (start, slot);
        self.len += 1;
    }

    fn remove(&mut self, place: usize) {
        self.starts.copy_within(place + 1..self.len, place);
        self.slots.copy_within(place + 1..self.len, place);
        self.len -= 1;
        self.starts[self.len] = u64::MAX;
    }

    fn split_off(&mut self, place: usize) -> Self {
        let mut behind = Self::EMPTY;
        behind.append(&self.starts()[place..], &self.slots()[place..]);
        self.starts[place..].fill(u64::MAX);
        self.len = place;
        behind
    }

    fn append(&mut self, starts: &[u64], slots: &[u32]) {
        let all = self.len..self.len + starts.len();
        self.starts[all.clone()].copy_from_slice(starts);
        self.slots[all.clone()].copy_from_slice(slots);
        self.len = all.end;
    }
}

impl Starts {
    #[inline]
    fn run(&self, at: usize) -> Option<&Run> {
        let place = *self.order.get(at)?;
        self.runs.get(place as usize)
    }

    /// The last one before `end`, and its slot.
    #[inline]
    pub fn before(&self, end: u64) -> Option<(u64, u32)> {
        let at = self.firsts.partition_point(|&first| first < end);
        let run = self.run(at.checked_sub(1)?)?;
        let place = run.before(end).checked_sub(1)?;
        Some((run.starts[place], run.slots[place]))
    }

    /// The first one from `from` on.
    #[inline]
    pub fn from(&self, from: u64) -> Option<u64> {
        let at = self.firsts.partition_point(|&first| first <= from);
        let run = at.checked_sub(1).and_then(|at| self.run(at));
        let known = run.and_then(|run| run.starts().get(run.before(from)));
        known.or_else(|| self.firsts.get(at)).copied()
    }

    /// The slots of all, in the order of addresses.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        let runs = self.order.iter().map(|&at| &self.runs[at as usize]);
        runs.flat_map(Run::slots).copied()
    }

    /// The run in which an address is, or would be.
    #[inline]
    fn run_of(&self, start: u64) -> usize {
        let behind = self.firsts.partition_point(|&first| first <= start);
        behind.saturating_sub(1)
    }

    /// The place of an address that is not there.
    #[inline]
    pub fn gap(&self, start: u64) -> Gap {
        let at = self.run_of(start);
        let run = self.run(at);
        let place = run.map_or(0, |run| run.before(start));
        let behind = run.and_then(|run| run.starts().get(place));
        Gap {
            run: at,
            place,
            before: run.and_then(|run| run.slots().get(place.checked_sub(1)?).copied()),
            behind: behind.or_else(|| self.firsts.get(at + 1)).copied(),
        }
    }

    /// One more, where [`Starts::gap`] says that it belongs.
    #[inline]
    pub fn fill(&mut self, gap: &Gap, start: u64, slot: u32) {
        let (at, place) = (gap.run, gap.place);
        if let Some(&of) = self.order.get(at)
            && let run = &mut self.runs[of as usize]
            && run.len < RUN
        {
            run.insert(place, start, slot);
            if place == 0 {
                self.firsts[at] = start;
            }
        } else {
            self.begin_or_split(gap, start, slot);
        }
    }

    /// The same, where there is no run or it is full.
    #[inline(never)]
    fn begin_or_split(&mut self, gap: &Gap, start: u64, slot: u32) {
        let (at, place) = (gap.run, gap.place);
        match self.order.get(at) {
            // Programs often get higher addresses again and again: the run behind will take them.
            Some(_) if place == RUN => self.begin(at + 1, start, slot),
            Some(&of) => {
                let behind = self.runs[of as usize].split_off(FEW);
                self.insert(at + 1, behind);
                self.fill(&self.gap(start), start, slot);
            }
            None => self.begin(at, start, slot),
        }
    }

    fn begin(&mut self, at: usize, start: u64, slot: u32) {
        let mut run = Run::EMPTY;
        run.insert(0, start, slot);
        self.insert(at, run);
    }

    /// Makes a run the one of that number.
    fn insert(&mut self, at: usize, run: Run) {
        self.firsts.insert(at, run.starts[0]);
        let place = self.free.pop().unwrap_or(self.runs.len() as u32);
        self.order.insert(at, place);
        match self.runs.get_mut(place as usize) {
            Some(free) => *free = run,
            None => self.runs.push(run),
        }
    }

    /// Forgets the run of that number.
    fn end(&mut self, at: usize) {
        self.firsts.remove(at);
        self.free.push(self.order.remove(at));
    }

    /// One less, if it is there.
    pub fn remove(&mut self, start: u64) {
        let at = self.run_of(start);
        let Some(&of) = self.order.get(at) else {
            return;
        };
        let run = &mut self.runs[of as usize];
        let Ok(place) = run.starts().binary_search(&start) else {
            return;
        };
        run.remove(place);
        match run.starts().first() {
            None => self.end(at),
            Some(&first) => {
                self.firsts[at] = first;
                self.join(at);
                self.join(at.saturating_sub(1));
            }
        }
    }

    /// Makes one run of this one and the next where they are short: room goes with addresses.
    fn join(&mut self, at: usize) {
        let of = [at, at + 1].map(|at| self.order.get(at).map(|&of| of as usize));
        let [Some(of), Some(next)] = of else {
            return;
        };
        if let Ok([run, next]) = self.runs.get_disjoint_mut([of, next])
            && run.len + next.len <= FEW
        {
            run.append(next.starts(), next.slots());
            self.end(at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The slot that these tests give an address.
    fn slot(start: u64) -> u32 {
        !start as u32
    }

    fn insert(starts: &mut Starts, start: u64) {
        starts.fill(&starts.gap(start), start, slot(start));
    }

    /// What both say of the places around an address.
    fn check(starts: &Starts, naive: &BTreeSet<u64>, address: u64) {
        let before = naive.range(..address).next_back();
        let from = naive.range(address..).next().copied();
        assert_eq!(
            (starts.before(address), starts.from(address)),
            (before.map(|&start| (start, slot(start))), from)
        );
    }

    #[test]
    fn they_are_as_those_of_a_set_are_whatever_comes_and_goes() {
        let (mut starts, mut naive) = (Starts::default(), BTreeSet::new());
        let mut random = 1_u64;
        // Mostly more, then mostly fewer, until none is left.
        for step in 0..40_000_u64 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let address = (random >> 40) % 5000;
            let is_more = (random >> 20) % 4 < if step < 20_000 { 3 } else { 1 };
            if is_more && naive.insert(address) {
                let gap = starts.gap(address);
                let before = naive.range(..address).next_back();
                let behind = naive.range(address + 1..).next().copied();
                assert_eq!(
                    (gap.before, gap.behind),
                    (before.map(|&start| slot(start)), behind)
                );
                starts.fill(&gap, address, slot(address));
            } else if !is_more {
                starts.remove(address);
                naive.remove(&address);
            }
            check(&starts, &naive, address);
            check(&starts, &naive, address + 1);
            check(&starts, &naive, (random >> 10) % 5100);
        }
        let runs = || {
            let runs = starts.order.iter();
            runs.map(|&at| starts.runs[at as usize].starts())
        };
        assert!(runs().all(|run| (1..=RUN).contains(&run.len())));
        assert!(runs().flatten().eq(&naive));
        assert!(runs().map(|run| run[0]).eq(starts.firsts.iter().copied()));
        assert_eq!(starts.order.len() + starts.free.len(), starts.runs.len());
        assert!(starts.slots().eq(naive.into_iter().map(slot)));
    }

    #[test]
    fn the_ends_of_all_addresses_are_addresses() {
        let mut starts = Starts::default();
        assert_eq!((starts.before(u64::MAX), starts.from(0)), (None, None));
        starts.remove(7);
        insert(&mut starts, u64::MAX);
        insert(&mut starts, 0);
        assert_eq!(
            (starts.before(0), starts.before(1)),
            (None, Some((0, slot(0))))
        );
        assert_eq!(starts.from(1), Some(u64::MAX));
        assert_eq!(
            (starts.from(u64::MAX), starts.before(u64::MAX)),
            (Some(u64::MAX), Some((0, slot(0))))
        );
    }

    #[test]
    fn runs_are_full_where_addresses_rise_and_few_where_few_are_left() {
        let mut starts = Starts::default();
        (0..10 * RUN as u64).for_each(|start| insert(&mut starts, start));
        assert_eq!(starts.order.len(), 10);
        // Of every two runs one stays, all of which go into one.
        (0..10 * RUN as u64)
            .filter(|start| start % (2 * RUN as u64) != 0)
            .for_each(|start| starts.remove(start));
        assert_eq!((starts.order.len(), starts.slots().count()), (1, 5));
        (0..5).for_each(|at| starts.remove(at * 2 * RUN as u64));
        assert!(starts.order.is_empty() && starts.firsts.is_empty());
        // What was left serves again.
        (0..10 * RUN as u64).for_each(|start| insert(&mut starts, start));
        assert_eq!(starts.runs.len(), 10);
    }
}
