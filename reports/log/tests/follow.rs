//! Logs that are followed while they are written: every event comes once, after all that it depends on, however the looks are timed.

mod growing;

use aclsan_log::follow::Follower;
use aclsan_log::{CallSiteId, Event};
use growing::{Growing, Run, run};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Follows a run whose log grows every `each` reads, and checks each event as it comes. Returns the number of looks that brought some.
fn follow(run: &Arc<Run>, each: usize) -> usize {
    let reads = Arc::new(AtomicUsize::new(0));
    let growing = Growing {
        run: run.clone(),
        from: 0,
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
