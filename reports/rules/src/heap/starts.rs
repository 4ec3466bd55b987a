//! Where blocks begin, in order, and the slots that they have.
//!
//! Addresses lie in runs, each in order, as the runs are: a new one is found its place in by two short searches, and moves few others.

/// Addresses of a run at most, and those of two neighbours from which on they stay two.
const RUN: usize = 128;
const FEW: usize = RUN / 2;

/// The addresses.
#[derive(Default)]
pub struct Starts {
    /// The first address of each run: none is empty.
    firsts: Vec<u64>,
    runs: Vec<Run>,
}

/// Addresses in order; a search reads no slots.
#[derive(Default)]
struct Run {
    starts: Vec<u64>,
    slots: Vec<u32>,
}

/// Where an address would be, the slot of the one before, and the one behind.
pub struct Gap {
    run: usize,
    place: usize,
    pub before: Option<u32>,
    pub behind: Option<u64>,
}

impl Run {
    #[inline]
    fn before(&self, end: u64) -> usize {
        self.starts.partition_point(|&start| start < end)
    }

    #[inline]
    fn slot(&self, place: usize) -> Option<u32> {
        self.slots.get(place).copied()
    }

    fn insert(&mut self, place: usize, start: u64, slot: u32) {
        self.starts.insert(place, start);
        self.slots.insert(place, slot);
    }

    fn remove(&mut self, place: usize) {
        self.starts.remove(place);
        self.slots.remove(place);
    }

    fn split_off(&mut self, place: usize) -> Self {
        Self {
            starts: self.starts.split_off(place),
            slots: self.slots.split_off(place),
        }
    }

    fn append(&mut self, behind: &mut Self) {
        self.starts.append(&mut behind.starts);
        self.slots.append(&mut behind.slots);
    }
}

impl Starts {
    /// The last one before `end`, and its slot.
    #[inline]
    pub fn before(&self, end: u64) -> Option<(u64, u32)> {
        let at = self.firsts.partition_point(|&first| first < end);
        let run = &self.runs[at.checked_sub(1)?];
        let place = run.before(end).checked_sub(1)?;
        Some((*run.starts.get(place)?, run.slot(place)?))
    }

    /// The first one from `from` on.
    #[inline]
    pub fn from(&self, from: u64) -> Option<u64> {
        let at = self.firsts.partition_point(|&first| first <= from);
        let known = at.checked_sub(1).and_then(|at| {
            let run = &self.runs[at];
            run.starts.get(run.before(from))
        });
        known.or_else(|| self.firsts.get(at)).copied()
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
        let run = self.runs.get(at);
        let place = run.map_or(0, |run| run.before(start));
        let behind = run.and_then(|run| run.starts.get(place));
        Gap {
            run: at,
            place,
            before: run.and_then(|run| run.slot(place.checked_sub(1)?)),
            behind: behind.or_else(|| self.firsts.get(at + 1)).copied(),
        }
    }

    /// One more, where [`Starts::gap`] says that it belongs.
    pub fn fill(&mut self, gap: &Gap, start: u64, slot: u32) {
        let (at, place) = (gap.run, gap.place);
        let Some(run) = self.runs.get_mut(at) else {
            return self.begin(at, start, slot);
        };
        if run.starts.len() < RUN {
            run.insert(place, start, slot);
            self.firsts[at] = run.starts[0];
        } else if place == RUN {
            // Programs often get higher addresses again and again: the run behind will take them.
            self.begin(at + 1, start, slot);
        } else {
            let behind = run.split_off(FEW);
            self.firsts.insert(at + 1, behind.starts[0]);
            self.runs.insert(at + 1, behind);
            self.fill(&self.gap(start), start, slot);
        }
    }

    fn begin(&mut self, at: usize, start: u64, slot: u32) {
        let mut run = Run::default();
        run.insert(0, start, slot);
        self.firsts.insert(at, start);
        self.runs.insert(at, run);
    }

    /// One less, if it is there.
    pub fn remove(&mut self, start: u64) {
        let at = self.run_of(start);
        let Some(run) = self.runs.get_mut(at) else {
            return;
        };
        let Ok(place) = run.starts.binary_search(&start) else {
            return;
        };
        run.remove(place);
        match run.starts.first() {
            None => {
                self.firsts.remove(at);
                self.runs.remove(at);
            }
            Some(&first) => {
                self.firsts[at] = first;
                self.join(at);
                self.join(at.saturating_sub(1));
            }
        }
    }

    /// Makes one run of this one and the next where they are short: room goes with addresses.
    fn join(&mut self, at: usize) {
        if let [run, next, ..] = &mut self.runs[at..]
            && run.starts.len() + next.starts.len() <= FEW
        {
            run.append(next);
            self.firsts.remove(at + 1);
            self.runs.remove(at + 1);
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
        let runs = || starts.runs.iter().map(|run| &run.starts);
        assert!(runs().all(|run| (1..=RUN).contains(&run.len())));
        assert!(runs().flatten().eq(&naive));
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
            (Some(u64::MAX), Some(0))
        );
    }

    #[test]
    fn runs_are_full_where_addresses_rise_and_few_where_few_are_left() {
        let mut starts = Starts::default();
        (0..10 * RUN as u64).for_each(|start| insert(&mut starts, start));
        assert_eq!(starts.runs.len(), 10);
        // Of every run two stay, all of which go into one.
        (0..10 * RUN as u64)
            .filter(|start| start % FEW as u64 != 0)
            .for_each(|start| starts.remove(start));
        assert_eq!((starts.runs.len(), starts.runs[0].starts.len()), (1, 20));
        (0..20).for_each(|at| starts.remove(at * FEW as u64));
        assert!(starts.runs.is_empty() && starts.firsts.is_empty());
    }
}
