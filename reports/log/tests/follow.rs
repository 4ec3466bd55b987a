//! Logs that are followed while they are written: every event comes once, after all that it depends on, however the looks are timed.

use aclsan_log::builder::LogBuilder;
use aclsan_log::follow::Follower;
use aclsan_log::reader::ReadAt;
use aclsan_log::{BlockId, CallSiteId, Event};
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of a log after each stage of a run, and how many events it has then.
struct Run {
    states: Vec<(Vec<u8>, usize)>,
}

/// Threads that pass blocks to each other. Each stage adds a site and, now and then, a thread.
fn run(stages: u32, events: u64) -> Run {
    let mut builder = LogBuilder::default();
    let mut blocks: Vec<BlockId> = Vec::new();
    let (mut states, mut event) = (Vec::new(), 0_u64);
    for stage in 0..stages {
        let site = builder.site("aclrtMalloc", 0, 0, &[0x4000 + u64::from(stage)]);
        for _ in 0..events {
            event += 1;
            builder.at(event * 10);
            let thread = 1 + (event % u64::from(2 + stage / 6)) as u32;
            match blocks.pop_if(|_| thread > 1) {
                Some(block) => drop(builder.event(thread, Event::Release { block, site })),
                None => blocks.push(builder.allocation(thread, site, event << 12, 4096)),
            }
        }
        states.push((builder.bytes(), event as usize));
    }
    Run { states }
}

/// A file that advances by one stage every `each` reads.
struct Growing {
    run: Arc<Run>,
    each: usize,
    reads: Arc<AtomicUsize>,
}

impl Growing {
    fn now(&self, reads: usize) -> &[u8] {
        let last = self.run.states.len() - 1;
        let stage = reads.checked_div(self.each).unwrap_or(0);
        &self.run.states[stage.min(last)].0
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

/// Follows a run whose log grows every `each` reads, and checks each event as it comes. Returns the number of looks that brought some.
fn follow(run: &Arc<Run>, each: usize) -> usize {
    let reads = Arc::new(AtomicUsize::new(0));
    let growing = Growing {
        run: run.clone(),
        each,
        reads: reads.clone(),
    };
    let length = run.states[0].0.len() as u64;
    let mut follower =
        Follower::from_source(Path::new("growing"), Box::new(growing), length).expect("a log");
    let (mut live, mut last, mut count, mut looks) = (HashSet::new(), 0, 0, 0);
    let all = run.states.last().expect("states").1;
    loop {
        let news = follower.look(|log, batch| {
            for at in 0..batch.entries().len() {
                let timed = batch.get(at).expect("an event");
                assert!(timed.ns >= last, "time goes on");
                last = timed.ns;
                count += 1;
                match timed.event {
                    Event::Allocation { block, site, .. } => {
                        assert!(live.insert(block), "each once");
                        assert_eq!(log.function(site), "aclrtMalloc");
                    }
                    Event::Release { block, site } => {
                        assert!(live.remove(&block), "its allocation came first");
                        assert_ne!(site, CallSiteId(0));
                    }
                    other => panic!("{other:?}"),
                }
            }
            ControlFlow::Continue(())
        });
        assert!(follower.log().damage.is_empty());
        looks += usize::from(news.events > 0);
        let is_finished = reads.load(Relaxed) / each.max(1) >= run.states.len();
        if is_finished && !news.is_behind {
            break;
        }
    }
    assert_eq!(count, all);
    assert_eq!(follower.events(), all as u64);
    looks
}

#[test]
fn every_event_comes_once_after_what_it_depends_on() {
    let run = Arc::new(run(30, 400));
    for each in (1..=60).step_by(6) {
        follow(&run, each);
    }
    assert!(follow(&run, 60) > 5, "it came in parts");
}

#[test]
fn a_run_of_many_segments_comes_whole() {
    // Some 300,000 events: dozens of segments, which are full one after the other.
    let run = Arc::new(run(60, 5_000));
    for each in [7, 100] {
        follow(&run, each);
    }
}
