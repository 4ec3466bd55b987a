//! `leak_scan=1`: searches the program's memory at the end for a pointer to each live block. The log keeps the facts; rules draw the
//! conclusions.
//!
//! A pointer is any aligned word with an address in a block, at its start or inside: NPU memory is suballocated. As in LeakSanitizer, globals,
//! stacks, registers and memory outside `malloc` are searched first ([`roots`]), while all other threads are stopped, and an object of
//! `malloc`'s only when something points to it ([`objects`]). A block that only objects which nothing reaches point to is lost with them. A
//! word that merely looks like a pointer makes a lost block look reachable, never the reverse; with a thread that cannot be stopped, nothing
//! looks lost ([`gaps`]).

mod allocator;
mod class_name;
mod gaps;
mod lost_objects;
mod malloc_heap;
mod memory_reader;
mod objects;
mod pagemap;
mod pass;
mod roots;
mod search;

use crate::record;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::thread::Thread;
use aclsan_log::{BlockId, Event, Mapping, ScanGap, ScanOutcome};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::host_pages;
use aclsan_os::stopped_threads::StoppedThreads;
use aclsan_unwind::frame::Frame;
use aclsan_unwind::{ExitRule, modules, registers};
use gaps::Gaps;
use lost_objects::lost_objects;
use memory_reader::{MemoryReader, Stop};
use pass::Pass;
use roots::{Known, RootRegions};
use search::Search;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Searches for pointers, and returns what to record. `low` is where the program's part of the calling thread's stack begins, `registers` the
/// values that its registers had.
fn scan(process: &Process, low: u64, registers: &[u64]) -> Vec<Event> {
    host_pages::open_all(); // A protected page would hide what it holds.
    let _uncancelled = CancelGuard::enter();
    let begun = Instant::now();
    let until = begun + Duration::from_millis(process.options.leak_scan_ms.into());
    let mut search = Search::new(process);
    if search.targets.is_empty() {
        return Vec::new();
    }
    let (mut outcome, mut bytes, mut gaps) = (ScanOutcome::Failed, 0, Gaps::default());
    let (mut threads, mut objects) = (0, Vec::new());
    if let (Some(known), Some(mut reader)) = (Known::of(process, low), MemoryReader::new()) {
        gaps.allocator = allocator::other_allocator();
        // From here on, no lock of anybody's.
        let stopped = StoppedThreads::stop(until);
        (threads, gaps.threads) = (
            stopped.stopped() + stopped.unanswered(),
            stopped.unanswered(),
        );
        if let Some(regions) = RootRegions::of(known) {
            let mut registers = registers.to_vec();
            registers.extend(stopped.registers());
            let mut pass = Pass {
                search: &mut search,
                reader: &mut reader,
                regions: &regions,
                until,
                bytes: 0,
                unparsed: Vec::new(),
            };
            // Twice if a thread that goes on may move a pointer from memory not yet read to memory already read.
            for _ in 0..1 + usize::from(gaps.threads > 0) {
                outcome = match pass.run(&registers) {
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
            (bytes, gaps.unparsed) = (pass.bytes, std::mem::take(&mut pass.unparsed));
            objects = lost_objects(&search, &mut reader, regions.images());
            gaps.count(&search, &stopped.stack_pointers(), &regions);
        }
    }
    let mut events = Vec::new();
    for target in &search.targets {
        let Some((at, mapping)) = target.found else {
            continue;
        };
        let block = target.id;
        events.push(Event::Pointer { block, at, mapping });
    }
    events.extend(objects.iter().map(|object| object.event(process)));
    events.extend(gaps.events());
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
        let low = Thread::with(inside, process, |thread| {
            exit_frame_sp(process, thread, leaf)
        });
        scan(process, low, &[])
    }));
    let (mut reachable, mut is_whole, mut are_all_stopped) = (HashSet::new(), false, true);
    for event in scanned.unwrap_or_default() {
        if let Event::Pointer { block, mapping, .. } = event
            && mapping != Mapping::LostObject
        {
            reachable.insert(block);
        }
        if let Event::Gap {
            what: ScanGap::Threads,
            ..
        } = event
        {
            are_all_stopped = false;
        }
        if let Event::Scan { outcome, .. } = event {
            is_whole = outcome == ScanOutcome::Whole && are_all_stopped;
        }
        record::log_event(inside, process, &event);
    }
    (reachable, is_whole)
}

/// Where the stack of the function that called `exit` begins: below it are the frames of the C library, and leftovers of those of `main`.
fn exit_frame_sp(process: &Process, thread: &mut Thread, leaf: Frame) -> u64 {
    let stack = thread.trace.capture(
        &leaf,
        || process.code.own_range,
        modules::UNLOAD_COUNT.load(Relaxed),
        &ExitRule::unknown(),
    );
    let frames = thread.trace.frames(stack);
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
