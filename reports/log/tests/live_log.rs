//! Logs that are read while they are written: the reader sees the state of one moment, however its reads are timed.

mod growing;

use aclsan_log::{CallSiteId, Event, Log};
use growing::{Growing, Run, run, time};
use std::path::Path;
use std::sync::Arc;

fn open(run: &Arc<Run>, from: usize, each: usize) -> Log {
    let growing = Growing {
        run: run.clone(),
        from,
        each,
        reads: Arc::default(),
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
    let run = Arc::new(run(30, 400));
    let all: Vec<u64> = (1..=30 * 400).map(time).collect();
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
    let run = Arc::new(run(30, 400));
    for from in 0..run.states.len() {
        let all: Vec<u64> = (1..=run.states[from].1 as u64).map(time).collect();
        assert_eq!(read(&open(&run, from, 0)), all, "state {from}");
    }
}
