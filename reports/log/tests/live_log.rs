//! Logs that are read while they are written: the reader sees the state of one moment, however its reads are timed.

use aclsan_log::builder::LogBuilder;
use aclsan_log::reader::ReadAt;
use aclsan_log::{BlockId, CallSiteId, Event, Log};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of a log and the times of its events, after each stage of a run.
struct Run {
    states: Vec<(Vec<u8>, usize)>,
    times: Vec<u64>,
}

/// Threads that pass blocks to each other. Each stage adds a site and, now and then, a thread.
fn run() -> Run {
    let (mut builder, mut times) = (LogBuilder::default(), Vec::new());
    let mut blocks: Vec<BlockId> = Vec::new();
    let mut states = Vec::new();
    let mut event = 0_u64;
    for stretch in 0..30_u32 {
        let site = builder.site("aclrtMalloc", 0, 0, &[0x4000 + u64::from(stretch)]);
        for _ in 0..400 {
            event += 1;
            builder.at(event * 10);
            times.push(event * 10);
            let thread = 1 + (event % u64::from(2 + stretch / 6)) as u32;
            // The later thread is read later: it releases what an earlier one has just allocated.
            match blocks.pop_if(|_| thread > 1) {
                Some(block) => drop(builder.event(thread, Event::Release { block, site })),
                None => blocks.push(builder.allocation(thread, site, event << 12, 4096)),
            }
        }
        states.push((builder.bytes(), times.len()));
    }
    Run { states, times }
}

/// A file in state `from`, which advances by one stage every `each` reads.
struct Growing {
    run: Arc<Run>,
    from: usize,
    each: usize,
    reads: AtomicUsize,
}

impl Growing {
    fn now(&self, reads: usize) -> &[u8] {
        let further = reads.checked_div(self.each).unwrap_or(0);
        let last = self.run.states.len() - 1;
        &self.run.states[(self.from + further).min(last)].0
    }
}

impl ReadAt for Growing {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.now(self.reads.fetch_add(1, Relaxed));
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn length(&self) -> Option<u64> {
        Some(self.now(self.reads.load(Relaxed)).len() as u64)
    }
}

fn open(run: &Arc<Run>, from: usize, each: usize) -> Log {
    let growing = Growing {
        run: run.clone(),
        from,
        each,
        reads: AtomicUsize::new(0),
    };
    let length = run.states[from].0.len() as u64;
    Log::from_source(Path::new("growing"), Box::new(growing), length).expect("a log")
}

/// Times of the events read. Their sites and blocks must already be known.
fn read(log: &Log) -> Vec<u64> {
    let (mut events, mut times) = (log.events(), Vec::new());
    let mut live = std::collections::BTreeSet::new();
    for timed in events.by_ref() {
        times.push(timed.ns);
        let site = match timed.event {
            Event::Allocation { block, site, .. } => {
                live.insert(block);
                site
            }
            Event::Release { block, site } => {
                assert!(live.remove(&block), "a release of no block: {timed:?}");
                site
            }
            _ => CallSiteId(0),
        };
        assert_eq!(log.function(site), "aclrtMalloc", "{timed:?}");
    }
    assert_eq!((log.damage.as_slice(), events.damage()), (&[][..], &[][..]));
    times
}

#[test]
fn a_log_that_grows_is_read_up_to_one_moment() {
    let run = Arc::new(run());
    let all = &run.times;
    for from in [0, 7, 23] {
        for each in 1..=24 {
            let log = open(&run, from, each);
            let times = read(&log);
            let count = times.len();
            assert_eq!(times, all[..count], "from {from}, each {each}");
            let begun = run.states[from].1;
            assert!(count >= begun, "from {from}, each {each}: {count}");
            assert_eq!(read(&log), times, "it grows on, and is read once more");
        }
    }
}

#[test]
fn of_a_log_that_does_not_grow_nothing_is_left_out() {
    let run = Arc::new(run());
    for from in 0..run.states.len() {
        let times = read(&open(&run, from, 0));
        assert_eq!(times, run.times[..run.states[from].1], "state {from}");
    }
}
