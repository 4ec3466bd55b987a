//! Where blocks begin, in order, and the slots that they have.
//!
//! Addresses lie in runs and runs on shelves, each in order, as the shelves are: a new one is found its place in by three short searches, and
//! moves few others, however many there are. Runs are short, since their memory is waited for; the first addresses of all are at hand.

mod leaf;
mod node;

use leaf::{RUN, Run};
use node::{SHELF, Shelf};

/// Addresses of two neighbours, or runs of two shelves, from which on they stay two.
const FEW_ADDRESSES: usize = RUN / 2;
const FEW_RUNS: usize = SHELF / 2;

/// The addresses.
#[derive(Default)]
pub struct Starts {
    /// The first address of each shelf: none is empty.
    tops: Vec<u64>,
    shelves: Vec<Shelf>,
    runs: Vec<Run>,
    /// Places of runs that are no more.
    free: Vec<u32>,
}

/// A run by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct At {
    shelf: usize,
    run: usize,
}

/// Where an address would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spot {
    at: At,
    place: usize,
}

/// The same, the slot of the one before, and the one behind.
#[derive(PartialEq, Eq, Debug)]
pub struct Gap {
    spot: Spot,
    pub before: Option<u32>,
    pub behind: Option<u64>,
}

impl Starts {
    #[inline]
    fn run(&self, at: At) -> Option<&Run> {
        let of = *self.shelves.get(at.shelf)?.order().get(at.run)?;
        self.runs.get(of as usize)
    }

    #[inline]
    fn run_mut(&mut self, at: At) -> Option<&mut Run> {
        let of = *self.shelves.get(at.shelf)?.order().get(at.run)?;
        self.runs.get_mut(of as usize)
    }

    /// The run in which an address is, or would be.
    #[inline]
    fn at(&self, start: u64) -> At {
        let behind = |firsts: &[u64]| firsts.partition_point(|&first| first <= start);
        let shelf = behind(&self.tops).saturating_sub(1);
        let run = self.shelves.get(shelf).map_or(0, |of| behind(of.firsts()));
        At {
            shelf,
            run: run.saturating_sub(1),
        }
    }

    /// The first address of the run behind.
    #[inline]
    fn behind(&self, at: At) -> Option<u64> {
        let next = self.shelves.get(at.shelf)?.firsts().get(at.run + 1);
        next.or_else(|| self.tops.get(at.shelf + 1)).copied()
    }

    /// The last one before `end`, and its slot.
    #[inline]
    pub fn before(&self, end: u64) -> Option<(u64, u32)> {
        let run = self.run(self.at(end.checked_sub(1)?))?;
        let place = run.before(end).checked_sub(1)?;
        Some((run.starts()[place], run.slots()[place]))
    }

    /// The first one from `from` on.
    #[inline]
    pub fn from(&self, from: u64) -> Option<u64> {
        let at = self.at(from);
        let run = self.run(at)?;
        let known = run.starts().get(run.before(from));
        known.copied().or_else(|| self.behind(at))
    }

    /// The slots of all, in the order of addresses.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        let runs = self.shelves.iter().flat_map(Shelf::order);
        let runs = runs.map(|&of| &self.runs[of as usize]);
        runs.flat_map(Run::slots).copied()
    }

    /// The first half of [`Starts::spot`]: the second asks for memory that is not at hand.
    #[inline]
    pub fn near(&self, start: u64) -> Spot {
        let at = self.at(start);
        Spot { at, place: 0 }
    }

    /// The place of an address that is not there; `near` is what the first half said.
    #[inline]
    pub fn spot(&self, near: Spot, start: u64) -> Spot {
        let place = self.run(near.at).map_or(0, |run| run.before(start));
        Spot { place, ..near }
    }

    /// The slot of the last one before.
    #[inline]
    pub fn slot_before(&self, spot: Spot) -> Option<u32> {
        let slots = self.run(spot.at)?.slots();
        slots.get(spot.place.checked_sub(1)?).copied()
    }

    /// What is around the place of an address that is not there.
    #[inline]
    pub fn gap(&self, start: u64) -> Gap {
        self.around(self.spot(self.near(start), start))
    }

    #[inline(always)]
    fn around(&self, spot: Spot) -> Gap {
        let behind = self
            .run(spot.at)
            .and_then(|run| run.starts().get(spot.place));
        Gap {
            spot,
            before: self.slot_before(spot),
            behind: behind.copied().or_else(|| self.behind(spot.at)),
        }
    }

    /// The same as [`Starts::gap`], if `spot` was the place of that address and still is. `None` where the address is there, too.
    #[inline]
    pub fn gap_at(&self, spot: Spot, start: u64) -> Option<Gap> {
        let starts = self.run(spot.at)?.starts();
        let before = starts.get(spot.place.checked_sub(1)?)?;
        let gap = self.around(spot);
        let is_there = *before < start && gap.behind.is_none_or(|behind| start < behind);
        is_there.then_some(gap)
    }

    /// One more, where [`Starts::gap`] says that it belongs.
    #[inline]
    pub fn fill(&mut self, gap: &Gap, start: u64, slot: u32) {
        let Spot { at, place } = gap.spot;
        match self.run_mut(at) {
            Some(run) if run.starts().len() < RUN => {
                run.insert(place, start, slot);
                if place == 0 {
                    self.begin(at, start);
                }
            }
            _ => self.add_or_split(gap.spot, start, slot),
        }
    }

    /// A run begins with another address.
    fn begin(&mut self, at: At, first: u64) {
        self.shelves[at.shelf].begin(at.run, first);
        if at.run == 0 {
            self.tops[at.shelf] = first;
        }
    }

    /// The same as [`Starts::fill`], where there is no run or it is full.
    #[inline(never)]
    fn add_or_split(&mut self, spot: Spot, start: u64, slot: u32) {
        let mut behind = spot.at;
        match self.run_mut(spot.at) {
            // Programs often get higher addresses again and again: the run behind will take them.
            Some(run) if spot.place < RUN => {
                let rest = run.split_off(FEW_ADDRESSES);
                behind.run += 1;
                self.add(behind, rest);
                self.fill(&self.gap(start), start, slot);
            }
            full => {
                behind.run += usize::from(full.is_some());
                let mut run = Run::EMPTY;
                run.insert(0, start, slot);
                self.add(behind, run);
            }
        }
    }

    /// Puts a run where it belongs.
    fn add(&mut self, at: At, run: Run) {
        let first = run.starts()[0];
        let of = self.free.pop().unwrap_or(self.runs.len() as u32);
        match self.runs.get_mut(of as usize) {
            Some(free) => *free = run,
            None => self.runs.push(run),
        }
        let At { shelf, run } = self.make_room(at);
        self.shelves[shelf].insert(run, first, of);
        self.tops[shelf] = self.shelves[shelf].firsts()[0];
    }

    /// Where there is room for a run that belongs there.
    fn make_room(&mut self, at: At) -> At {
        let Some(shelf) = self.shelves.get_mut(at.shelf) else {
            self.put_up(at.shelf, Shelf::default());
            return at;
        };
        if shelf.len() < SHELF {
            return at;
        }
        // As above: what is behind all others begins a shelf of its own.
        let left = if at.run == SHELF { SHELF } else { FEW_RUNS };
        let rest = shelf.split_off(left);
        self.put_up(at.shelf + 1, rest);
        at.run.checked_sub(left).map_or(at, |run| At {
            shelf: at.shelf + 1,
            run,
        })
    }

    /// Makes a shelf the one of that number. If it is empty, it is about to get a run.
    fn put_up(&mut self, at: usize, shelf: Shelf) {
        let first = shelf.firsts().first();
        self.tops.insert(at, first.copied().unwrap_or_default());
        self.shelves.insert(at, shelf);
    }

    /// One less, if it is there.
    pub fn remove(&mut self, start: u64) {
        let at = self.at(start);
        let Some(run) = self.run_mut(at) else {
            return;
        };
        let Ok(place) = run.starts().binary_search(&start) else {
            return;
        };
        run.remove(place);
        let (left, first) = (run.starts().len(), run.starts().first().copied());
        match first {
            None => self.end(at),
            Some(first) => {
                if place == 0 {
                    self.begin(at, first);
                }
                // Its neighbours' memory is asked for only where one of them may join it.
                if left < FEW_ADDRESSES {
                    self.join(at);
                    if let Some(run) = at.run.checked_sub(1) {
                        self.join(At { run, ..at });
                    }
                }
            }
        }
        self.join_shelves(at.shelf);
        if let Some(before) = at.shelf.checked_sub(1) {
            self.join_shelves(before);
        }
    }

    /// Forgets a run, and its shelf where that has no other.
    fn end(&mut self, at: At) {
        let shelf = &mut self.shelves[at.shelf];
        self.free.push(shelf.remove(at.run));
        match shelf.firsts().first() {
            Some(&first) => self.tops[at.shelf] = first,
            None => {
                self.tops.remove(at.shelf);
                self.shelves.remove(at.shelf);
            }
        }
    }

    /// Makes one run of this one and the next on its shelf where they are short: room goes with addresses.
    fn join(&mut self, at: At) {
        let next = At {
            run: at.run + 1,
            ..at
        };
        let order = self.shelves[at.shelf].order();
        let of = [at, next].map(|at| order.get(at.run).map(|&of| of as usize));
        let [Some(of), Some(behind)] = of else {
            return;
        };
        if let Ok([run, behind]) = self.runs.get_disjoint_mut([of, behind])
            && run.starts().len() + behind.starts().len() <= FEW_ADDRESSES
        {
            run.append(behind.starts(), behind.slots());
            self.end(next);
        }
    }

    /// The same of shelves.
    fn join_shelves(&mut self, at: usize) {
        if let Some([shelf, behind]) = self.shelves.get_mut(at..at + 2)
            && shelf.len() + behind.len() <= FEW_RUNS
        {
            shelf.append(std::mem::take(behind));
            self.tops.remove(at + 1);
            self.shelves.remove(at + 1);
        }
    }
}

#[cfg(test)]
mod tests;
