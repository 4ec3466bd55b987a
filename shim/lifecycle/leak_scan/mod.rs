//! `leak_scan=1`: searches the program's memory at the end for a pointer to each live block. The log keeps the facts; rules draw the
//! conclusions.
//!
//! A pointer is any aligned word with an address in a block, at its start or inside: NPU memory is suballocated. As in LeakSanitizer, globals,
//! stacks, registers and memory outside `malloc` are searched first ([`roots`]), and an object of `malloc`'s only when something points to it
//! ([`objects`]). A block that only objects which nothing reaches point to is lost with them. A word that merely looks like a pointer makes
//! a lost block look reachable, never the reverse. Registers of other threads are not seen.

mod malloc_heap;
mod memory_reader;
mod objects;
mod pagemap;
mod roots;

use crate::record;
use crate::state::process::Process;
use crate::state::thread::{ReentrancyGuard, Thread};
use aclsan_log::{BlockId, Event, Mapping, ScanOutcome};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::host_pages;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Loss;
use aclsan_unwind::frame::Frame;
use aclsan_unwind::{modules, registers};
use memory_reader::{MemoryReader, Stop};
use objects::Objects;
use roots::RootRegions;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A block whose pointers are searched for.
struct Target {
    start: u64,
    end: u64,
    id: BlockId,
    found: Option<(u64, Mapping)>,
}

/// All targets, by start.
struct Search {
    targets: Vec<Target>,
    lowest: u64,
    span: u64,
    remaining: usize,
    objects: Objects,
}

impl Search {
    fn new(process: &Process) -> Self {
        let mut targets = Vec::new();
        let mut want = |block: &Block| {
            let is_memory = block.family().loss() == Loss::Memory && !block.family().is_handle();
            if is_memory && block.size > 0 && block.id != BlockId(u64::MAX) {
                targets.push(Target {
                    start: block.address,
                    end: block.address.saturating_add(block.size),
                    id: block.id,
                    found: None,
                });
            }
        };
        process
            .heap
            .live
            .for_each_live(|key, entry| want(&entry.block(key)));
        process
            .heap
            .devices
            .for_each_dropped(|block, _| want(block));
        Self::of(targets)
    }

    fn of(mut targets: Vec<Target>) -> Self {
        targets.sort_unstable_by_key(|target| target.start);
        let lowest = targets.first().map_or(0, |first| first.start);
        let highest = targets.iter().map(|target| target.end).max().unwrap_or(0);
        Self {
            remaining: targets.len(),
            span: highest - lowest,
            lowest,
            targets,
            objects: Objects::default(),
        }
    }

    /// Scans the words at `at`; `is_excluded` says which addresses do not count.
    fn scan_words(
        &mut self,
        at: u64,
        words: &[u64],
        mapping: Mapping,
        is_excluded: impl Fn(u64) -> bool,
    ) {
        for (index, &word) in words.iter().enumerate() {
            let place = at + 8 * index as u64;
            if word.wrapping_sub(self.lowest) < self.span {
                self.find(word, place, mapping, &is_excluded);
            }
            // Also from the runtime's own memory: it may keep an object for the program.
            if self.objects.is_near(word) {
                self.objects.reach(word);
            }
        }
    }

    /// A word at `place` may point into a block.
    fn find(&mut self, word: u64, place: u64, mapping: Mapping, is_excluded: impl Fn(u64) -> bool) {
        let after = self.targets.partition_point(|target| target.start <= word);
        let Some(target) = after.checked_sub(1).map(|at| &mut self.targets[at]) else {
            return;
        };
        // A block that points into itself is not reachable by that.
        let is_itself = (target.start..target.end).contains(&place);
        if word < target.end && target.found.is_none() && !is_itself && !is_excluded(place) {
            target.found = Some((place, mapping));
            self.remaining -= 1;
        }
    }
}

/// One scan of memory.
struct Pass<'a> {
    search: &'a mut Search,
    reader: &'a mut MemoryReader,
    regions: &'a RootRegions,
    until: Instant,
    bytes: u64,
}

impl Pass<'_> {
    /// Searches what the program can reach.
    fn run(&mut self, registers: &[u64]) -> Result<(), Stop> {
        let heaps = self.regions.heaps(self.reader, self.until);
        self.search.objects = Objects::of(heaps.chunks);
        self.search
            .scan_words(0, registers, Mapping::Stack, |_| false);
        let (regions, until) = (self.regions, self.until);
        for range in regions.without(&heaps.areas) {
            self.reader
                .read(range.low, range.high, until, |at, words| {
                    self.bytes += 8 * words.len() as u64;
                    let is_excluded = |place| regions.is_excluded(&range, place);
                    self.search
                        .scan_words(at, words, range.mapping, is_excluded);
                    self.search.remaining > 0
                })?;
        }
        for &(low, high) in regions.of_libraries() {
            self.reader.read(low, high, until, |at, words| {
                self.bytes += 8 * words.len() as u64;
                self.search.scan_words(at, words, Mapping::Image, |_| true);
                true
            })?;
        }
        loop {
            let reached = self.search.objects.take_pending();
            if reached.is_empty() {
                return Ok(());
            }
            self.objects(&reached, Mapping::Heap)?;
        }
    }

    /// Searches what it cannot reach.
    fn run_lost(&mut self) -> Result<(), Stop> {
        let lost = self.search.objects.lost();
        self.objects(&lost, Mapping::LostObject)
    }

    fn objects(&mut self, objects: &[(u64, u64)], mapping: Mapping) -> Result<(), Stop> {
        let regions = self.regions;
        self.reader.read_pieces(objects, self.until, |at, words| {
            self.bytes += 8 * words.len() as u64;
            let is_excluded = |place| regions.is_of_runtime(place);
            self.search.scan_words(at, words, mapping, is_excluded);
            self.search.remaining > 0
        })
    }
}

/// Searches for pointers, and returns the events to record. `low` is where the program's part of the calling thread's stack begins,
/// `registers` the values that its registers had.
fn scan(process: &Process, low: u64, registers: &[u64]) -> Vec<Event> {
    host_pages::open_all(); // A protected page would hide what it holds.
    let _uncancelled = CancelGuard::enter();
    let begun = Instant::now();
    let until = begun + Duration::from_millis(process.options.leak_scan_ms.into());
    let mut search = Search::new(process);
    if search.targets.is_empty() {
        return Vec::new();
    }
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, |tasks| tasks.count().max(1)) - 1;
    let (mut outcome, mut bytes) = (ScanOutcome::Failed, 0);
    if let (Some(regions), Some(mut reader)) = (RootRegions::of(process, low), MemoryReader::new())
    {
        let mut pass = Pass {
            search: &mut search,
            reader: &mut reader,
            regions: &regions,
            until,
            bytes: 0,
        };
        // Twice if other threads may move a pointer from memory not yet read to memory already read.
        for _ in 0..1 + usize::from(threads > 0) {
            outcome = match pass.run(registers) {
                Ok(()) | Err(Stop::Done) => ScanOutcome::Whole,
                Err(Stop::TimedOut) => ScanOutcome::Cut,
            };
            if outcome != ScanOutcome::Whole || pass.search.remaining == 0 {
                break;
            }
        }
        if outcome == ScanOutcome::Whole && pass.search.remaining > 0 {
            // Lost in any case; without the time for it, how is not known.
            let _ = pass.run_lost();
        }
        bytes = pass.bytes;
    }
    let found = search.targets.iter().filter_map(|target| {
        let (at, mapping) = target.found?;
        let block = target.id;
        Some(Event::Pointer { block, at, mapping })
    });
    let mut events: Vec<Event> = found.collect();
    events.push(Event::Scan {
        outcome,
        bytes,
        ns: begun.elapsed().as_nanos() as u64,
        threads: threads as u32,
    });
    events
}

/// Runs before `aclFinalize`, since the program may end without exit handlers. `leaf` is the hook's own frame, `registers` the register
/// values there.
///
/// Parts of our frames that are not written yet hold leftovers of earlier calls, the runtime's too: of our frames, only saved registers are
/// scanned.
pub fn at_finalize(
    process: &Process,
    thread: &Thread,
    leaf: Frame,
    registers: &[u64],
) -> Vec<Event> {
    if !process.options.leak_scan {
        return Vec::new();
    }
    let left = thread.trace.left(leaf, process.code.own_range);
    let (low, mut words) = left.unwrap_or((leaf.sp, Vec::new()));
    words.extend(registers);
    scan(process, low, &words)
}

/// Runs after the exit handlers. Returns the blocks to which there are pointers, and whether all others are lost.
#[inline(always)]
pub fn at_exit(inside: &ReentrancyGuard, process: &'static Process) -> (HashSet<BlockId>, bool) {
    match process.options.leak_scan {
        true => scan_at_exit(inside, process, registers::here()),
        false => Default::default(),
    }
}

#[cold]
fn scan_at_exit(
    inside: &ReentrancyGuard,
    process: &'static Process,
    leaf: Frame,
) -> (HashSet<BlockId>, bool) {
    let scanned = catch_unwind(AssertUnwindSafe(|| {
        let low = Thread::with(inside, |thread| exit_frame_sp(process, thread, leaf));
        scan(process, low, &[])
    }));
    let (mut reachable, mut is_whole) = (HashSet::new(), false);
    for event in scanned.unwrap_or_default() {
        if let Event::Pointer { block, mapping, .. } = event
            && mapping != Mapping::LostObject
        {
            reachable.insert(block);
        }
        if let Event::Scan { outcome, .. } = event {
            is_whole = outcome == ScanOutcome::Whole;
        }
        record::log_event(inside, process, &event);
    }
    (reachable, is_whole)
}

/// Where the stack of the function that called `exit` begins: below it are the frames of the C library, and leftovers of those of `main`.
fn exit_frame_sp(process: &Process, thread: &mut Thread, leaf: Frame) -> u64 {
    let frames = thread
        .trace
        .capture(
            leaf,
            process.code.own_range,
            modules::UNLOAD_COUNT.load(Relaxed),
        )
        .frames();
    let libraries =
        modules::ranges_of(|file| file.starts_with("ld-") || file.starts_with("libc.so"));
    let is_library = |pc: u64| {
        libraries
            .iter()
            .any(|range| (range.0..range.1).contains(&pc))
    };
    let outer = frames.iter().find(|frame| !is_library(frame.pc));
    outer.map_or(leaf.sp, |frame| frame.sp.max(leaf.sp))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(start: u64, end: u64) -> Target {
        Target {
            start,
            end,
            id: BlockId(start),
            found: None,
        }
    }

    #[test]
    fn starts_and_insides_count_and_ends_do_not() {
        let blocks = vec![target(0x2000, 0x3000), target(0x1000, 0x1010)];
        let mut search = Search::of(blocks);
        // In turn: before the first block, after it, inside the second, at the end of the second.
        let words = [0xfff, 0x1010, 0x2fff, 0x3000];
        search.scan_words(0x9000, &words, Mapping::Heap, |_| false);
        let found: Vec<_> = search.targets.iter().map(|target| target.found).collect();
        assert_eq!(found, [None, Some((0x9010, Mapping::Heap))]);
        assert_eq!(search.remaining, 1);
        search.scan_words(0x9000, &[0x1000], Mapping::Stack, |_| false);
        assert_eq!(search.remaining, 0);
    }

    #[test]
    fn places_of_ours_and_a_block_that_points_into_itself_do_not_count() {
        let mut search = Search::of(vec![target(0x2000, 0x3000)]);
        search.scan_words(0x9000, &[0x2000], Mapping::Heap, |place| place == 0x9000);
        search.scan_words(0x2ff8, &[0x2000], Mapping::Heap, |_| false);
        assert_eq!(search.remaining, 1);
        search.scan_words(0x3000, &[0x2000], Mapping::Heap, |_| false);
        assert_eq!(search.remaining, 0);
    }
}
