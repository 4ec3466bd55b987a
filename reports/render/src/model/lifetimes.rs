//! The lifetime of each block of a process, in bounded memory: the data behind a page that can show any moment.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::history::{Change, ChangeKind, Refusal};
use super::peak::Peak;
use super::stack::Trace;

/// Refusals kept.
const MAX_REFUSALS: usize = 2000;

/// How a block's lifetime ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockEnd {
    /// It is live at the end.
    Live,
    /// Its device's reset dropped it.
    Dropped,
    /// It was released.
    Released,
}

/// One block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockLifetime {
    /// Its allocation: what it is, when, and where.
    pub born: Change,
    /// When it ended; the end of the log for a live one.
    pub end_ns: u64,
    /// How it ended.
    pub fate: BlockEnd,
}

/// Bytes allocated with one stack, over all its blocks, whether kept or not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sums {
    /// Live at the end.
    pub live: u64,
    /// Never released: live at the end or dropped by a reset, except what the program marked as ignored.
    pub leaked: u64,
    /// Allocated in total.
    pub allocated: u64,
    /// Live at the peak of device memory.
    pub peak: u64,
}

/// Counts of what was left out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Truncation {
    /// Blocks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Refused allocations.
    pub refusals: u64,
}

/// The blocks of a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BlockLifetimes {
    /// The process.
    pub pid: u32,
    /// Time of its last event.
    pub duration_ns: u64,
    /// Allocating calls with their stacks; lifetimes refer to them by index.
    pub traces: Vec<Trace>,
    /// By trace: exact, whatever was left out.
    pub sums: Vec<Sums>,
    /// In order of allocation.
    pub lives: Vec<BlockLifetime>,
    /// In order of time.
    pub refusals: Vec<Refusal>,
    /// Counts of what is not included.
    pub left_out: Truncation,
}

impl BlockLifetimes {
    /// Keeps `most` lifetimes: blocks that were never released first, then the largest.
    pub fn keep(&mut self, most: usize) {
        thin(&mut self.lives, most, &mut self.left_out);
        self.lives.sort_unstable_by_key(|life| life.born.block);
    }
}

fn thin(lives: &mut Vec<BlockLifetime>, most: usize, left_out: &mut Truncation) {
    if lives.len() <= most {
        return;
    }
    let worth = |life: &BlockLifetime| {
        let is_released = life.fate == BlockEnd::Released;
        (is_released, Reverse(life.born.size), life.born.block)
    };
    lives.select_nth_unstable_by_key(most, worth);
    for life in lives.drain(most..) {
        left_out.blocks += 1;
        left_out.bytes = left_out.bytes.saturating_add(life.born.size);
    }
}

/// Consumes changes in order of time.
pub struct Collector {
    most: usize,
    open: HashMap<usize, BlockLifetime>,
    ended: Vec<BlockLifetime>,
    sums: Vec<Sums>,
    /// Device memory by trace.
    peak: Peak<(usize, u64)>,
    refusals: Vec<Refusal>,
    left_out: Truncation,
}

impl Collector {
    /// Keeps `most` lifetimes in the result, and up to twice as many ended ones while collecting.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            open: HashMap::new(),
            ended: Vec::new(),
            sums: Vec::new(),
            peak: Peak::default(),
            refusals: Vec::new(),
            left_out: Truncation::default(),
        }
    }

    /// Adds a change.
    pub fn change(&mut self, change: &Change) {
        let fate = match change.what {
            ChangeKind::Allocated => return self.begin(change),
            ChangeKind::Ended => BlockEnd::Released,
            ChangeKind::Dropped => BlockEnd::Dropped,
        };
        let Some(mut life) = self.open.remove(&change.block) else {
            return;
        };
        (life.end_ns, life.fate) = (change.ns, fate);
        let Change { trace, size, .. } = life.born;
        let sums = &mut self.sums[trace];
        sums.live = sums.live.saturating_sub(size);
        if fate == BlockEnd::Released && !life.born.is_ignored {
            sums.leaked = sums.leaked.saturating_sub(size);
        }
        if life.born.is_of_device {
            self.peak.depart(change.block as u64, size, (trace, size));
        }
        self.ended.push(life);
        if self.ended.len() > self.most.saturating_mul(2).max(1) {
            thin(&mut self.ended, self.most, &mut self.left_out);
        }
    }

    fn begin(&mut self, change: &Change) {
        let Change { trace, size, .. } = *change;
        if self.sums.len() <= trace {
            self.sums.resize(trace + 1, Sums::default());
        }
        let sums = &mut self.sums[trace];
        for sum in [&mut sums.live, &mut sums.allocated] {
            *sum = sum.saturating_add(size);
        }
        if !change.is_ignored {
            sums.leaked = sums.leaked.saturating_add(size);
        }
        if change.is_of_device {
            self.peak.arrive(change.block as u64, size, change.ns);
        }
        let life = BlockLifetime {
            born: *change,
            end_ns: u64::MAX,
            fate: BlockEnd::Live,
        };
        self.open.insert(change.block, life);
    }

    /// Undoes the end of a block, the last one of its thread: the runtime refused it.
    pub fn take_back(&mut self, block: usize) {
        let is_it =
            |life: &BlockLifetime| life.born.block == block && life.fate == BlockEnd::Released;
        let Some(at) = self.ended.iter().rposition(is_it) else {
            return;
        };
        let mut life = self.ended.remove(at);
        let Change { trace, size, .. } = life.born;
        let sums = &mut self.sums[trace];
        sums.live = sums.live.saturating_add(size);
        if !life.born.is_ignored {
            sums.leaked = sums.leaked.saturating_add(size);
        }
        if life.born.is_of_device {
            self.peak.come_back(block as u64, size, life.end_ns);
        }
        (life.end_ns, life.fate) = (u64::MAX, BlockEnd::Live);
        self.open.insert(block, life);
    }

    /// Adds a refused allocation.
    pub fn refused(&mut self, refusal: Refusal) {
        match self.refusals.len() < MAX_REFUSALS {
            true => self.refusals.push(refusal),
            false => self.left_out.refusals += 1,
        }
    }

    /// The lifetimes of process `pid`, whose log is `duration_ns` long.
    pub fn finish(mut self, pid: u32, duration_ns: u64, traces: Vec<Trace>) -> BlockLifetimes {
        self.sums.resize(traces.len(), Sums::default());
        let now: Vec<_> = self
            .open
            .values()
            .filter(|life| life.born.is_of_device)
            .map(|life| (life.born.block as u64, (life.born.trace, life.born.size)))
            .collect();
        for (trace, size) in self.peak.items(now.into_iter()) {
            let peak = &mut self.sums[trace].peak;
            *peak = peak.saturating_add(size);
        }
        let open = self.open.into_values().map(|mut life| {
            life.end_ns = duration_ns;
            life
        });
        let mut lives = BlockLifetimes {
            pid,
            duration_ns,
            traces,
            sums: self.sums,
            lives: self.ended.into_iter().chain(open).collect(),
            refusals: self.refusals,
            left_out: self.left_out,
        };
        lives.keep(self.most);
        lives
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    fn collect(most: usize, changes: &[Change]) -> Collector {
        let mut collector = Collector::new(most);
        changes.iter().for_each(|change| collector.change(change));
        collector
    }

    #[test]
    fn a_block_that_ends_and_one_that_stays_are_two_lives() {
        let history = history();
        let lives = collect(10, &history.changes).finish(42, 4_000_000, history.traces);
        let ends = lives.lives.iter().map(|life| (life.end_ns, life.fate));
        assert_eq!(
            ends.collect::<Vec<_>>(),
            [(3_000_000, BlockEnd::Released), (4_000_000, BlockEnd::Live)]
        );
        // Only the device block was device memory at its peak; only the pinned one is left.
        let sums = |live, leaked, allocated, peak| Sums {
            live,
            leaked,
            allocated,
            peak,
        };
        assert_eq!(
            lives.sums,
            [sums(0, 0, 4096, 4096), sums(1000, 1000, 1000, 0)]
        );
    }

    #[test]
    fn what_is_ignored_is_live_and_no_leak() {
        let mut history = history();
        history
            .changes
            .iter_mut()
            .for_each(|change| change.is_ignored = true);
        let mut collector = collect(10, &history.changes);
        collector.take_back(0);
        let lives = collector.finish(42, 4_000_000, history.traces);
        let sums = lives.sums.iter().map(|sums| (sums.live, sums.leaked));
        assert_eq!(sums.collect::<Vec<_>>(), [(4096, 0), (1000, 0)]);
        // It does not reduce the sums of other blocks with its stack.
        let mut changes = self::history().changes;
        let more = Change {
            block: 7,
            is_ignored: true,
            ..changes[1]
        };
        let gone = Change {
            what: ChangeKind::Ended,
            ..more
        };
        changes.extend([more, gone]);
        let lives = collect(10, &changes).finish(42, 4_000_000, self::history().traces);
        assert_eq!(lives.sums[1].leaked, 1000);
    }

    #[test]
    fn what_was_never_released_is_kept_before_what_was_large() {
        let history = history();
        let lives = collect(1, &history.changes).finish(42, 4_000_000, history.traces);
        assert_eq!(lives.lives.len(), 1);
        assert_eq!(lives.lives[0].born.size, 1000);
        assert_eq!((lives.left_out.blocks, lives.left_out.bytes), (1, 4096));
    }

    #[test]
    fn device_memory_without_pages_counts_at_the_peak() {
        let history = history();
        let mut pool = history.changes[0];
        (pool.family, pool.page) = ("pool", "");
        let lives = collect(10, &[pool]).finish(42, 4_000_000, history.traces);
        assert_eq!((lives.sums[0].peak, lives.sums[0].live), (4096, 4096));
    }

    #[test]
    fn an_end_that_was_refused_never_was() {
        let history = history();
        let mut collector = collect(10, &history.changes);
        collector.take_back(0);
        let lives = collector.finish(42, 4_000_000, history.traces);
        assert_eq!(lives.lives[0].fate, BlockEnd::Live);
        assert_eq!(lives.sums[0].leaked, 4096);
        assert_eq!(lives.sums[0].peak, 4096);
    }
}
